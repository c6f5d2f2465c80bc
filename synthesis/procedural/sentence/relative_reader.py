"""Relative reader: what others do to a thing, "trips that the wind cancels", "boats the club owns"."""

from __future__ import annotations

from dataclasses import replace

from synthesis.procedural.sentence.clause_reader import ClauseReader
from synthesis.procedural.sentence.clauses import OBJECT
from synthesis.procedural.sentence.inflection import lemmas, participle, plural, singular
from synthesis.procedural.sentence.lexicon import is_business, kinds_of, nouns
from synthesis.procedural.sentence.modifiers import STATE_WORDS, negated
from synthesis.procedural.sentence.phrases import NounPhrase, noun_phrase
from synthesis.procedural.sentence.references import acts
from synthesis.procedural.sentence.subclauses import Subclause, lacks_object, subclause_at
from synthesis.procedural.sentence.tokens import ADVERBS, AUXILIARIES, PREPOSITIONS, SentenceToken

_BEFALLING = frozenset(
    ("lose", "forget", "drop", "break", "damage", "abandon", "spoil", "own", "miss", "neglect", "wear out")
)
"""Verbs of what happens to things through somebody, which is nothing that a business records as done."""
_LEAVING = frozenset(("leave", "vacate", "quit"))
_KEEPING = frozenset(("own", "keep", "have", "hold"))
"""Verbs of what belongs to somebody."""
_THEIR = frozenset(("its", "their", "the", "our"))
_ARTICLES_OF_OTHERS = frozenset(("the", "their", "our", "its"))


def _is_of_several(owner: SentenceToken) -> bool:
    """ "members'", "people's": whether a word says that something belongs to several people."""
    plain = owner.text.endswith(("s'", "s\u2019"))
    irregular = owner.text.endswith(("'s", "\u2019s")) and singular(owner.word) != owner.word
    return plain or irregular


class RelativeReader(ClauseReader):
    """What is said of things by what others do to them, while a sentence is read."""

    def _described_by_others(self, place: int) -> int:
        """The place behind what tells whose a thing is, what others left or what was asked; 0 of others."""
        return self._owned(place) or self._left(place) or self._asked(place) or self._contact(place)

    def _contact(self, place: int) -> int:
        """ "boats the club owns": the place behind a clause without "that"; 0 where none is."""
        objects = self.clause.roles.get(OBJECT, []) if self.clause is not None else []
        last = objects[-1] if objects else None
        if last is None or last is not self.last or last.end != place or acts(last):
            return 0
        if self.tokens[place].word not in _ARTICLES_OF_OTHERS or "time" in kinds_of(last.text)[:1]:
            return 0
        inner = subclause_at(self.tokens, place, sure=True)
        if inner is None or not lacks_object(self.tokens, inner.verb):
            return 0
        verb = self.tokens[inner.verb]
        named = singular(verb.word) in nouns() or verb.word in AUXILIARIES
        return 0 if named else self._done_by(inner, last)

    def _done_by(self, inner: Subclause, about: NounPhrase) -> int:
        """ "defects that plumbers repair": what somebody does to what was named."""
        if not acts(inner.subject) or self._only_befalls(inner):
            force = bool(inner.subject.determiner) or self.tokens[inner.verb].is_third_person
            befalls = force or acts(inner.subject) or inner.subject.many
            return self._befallen(inner) if befalls else self._state(inner.subject.end - 1)
        if negated(self.tokens[inner.verb : self._content_from(inner.verb)]) and self.clause is not None:
            self.clause.roles.setdefault("of", []).append(inner.subject)
            return self._state_of_thing(inner.verb)  # "pallets that importers haven't cleared"
        self.third = not inner.subject.many
        self._describing(self.tokens[inner.subject.end : inner.verb])
        objects = self._named_with(about)
        behind = self._verb_group(inner.verb, inner.subject)
        if self.clause is not None:
            self.clause.roles[OBJECT] = objects
        return behind

    def _only_befalls(self, inner: Subclause) -> bool:
        """ "phones that customers dropped", "boats the club owns": whether that is only so, and nothing
        that records could keep is done by it."""
        at, mine = self._content_from(inner.verb), self.result.business
        if self.clause is None or at >= len(self.tokens):
            return False
        verb, behind = self.tokens[at].verb, self.tokens[at + 1 : at + 2]
        own = mine is not None and inner.subject.head == mine.head
        hasty = verb in _LEAVING and bool(behind) and behind[0].is_content
        return own or hasty or verb in _BEFALLING

    def _befallen(self, inner: Subclause) -> int:
        """Read what somebody or something does to a thing as a state, "cancelled by wind"."""
        verb = self._content_from(inner.verb)
        if self.clause is None or verb >= len(self.tokens):
            return inner.verb + 1
        end = verb + 1
        while end < len(self.tokens) and self._says_how(end):
            end += 1
        group = self.tokens[inner.subject.end : verb]
        how = " ".join(token.word for token in self.tokens[verb + 1 : end])
        denied = "not " if negated(group) else ""
        by = f" by {plural(inner.subject.text) if inner.subject.many else inner.subject.text}"
        self.clause.states.append(f"{denied}{participle(self.tokens[verb].verb)} {how}".strip() + by)
        mine = self.result.business
        if mine is None or inner.subject.head != mine.head:
            self._known_people(inner.subject)
        return end

    def _owned_by_people(self, phrase: NounPhrase) -> NounPhrase:
        """ "its members' wheat": wheat, and that of members, for whom something is done."""
        owner = phrase.tokens[0] if len(phrase.tokens) > 1 else None
        if owner is None or self.clause is None or not _is_of_several(owner):
            return phrase
        people = singular(owner.word)
        if phrase.determiner == "the" and is_business(phrase.head):
            return phrase  # "at the farmers' market"
        if kinds_of(people)[:1] != ("party",) or not phrase.text.startswith((f"{people} ", f"{owner.word} ")):
            return phrase
        owners = NounPhrase(people, (owner,), phrase.end, many=True)
        self.clause.roles.setdefault("of", []).append(owners)
        return replace(phrase, text=phrase.text.partition(" ")[2], tokens=phrase.tokens[1:])

    def _says_how(self, place: int) -> bool:
        """ "early", "behind": whether a word belongs to the verb before it, and begins nothing of its own."""
        word = self.tokens[place].word
        if word in PREPOSITIONS and noun_phrase(self.tokens, place + 1) is not None:
            return False
        return word in STATE_WORDS | ADVERBS or "ADV" in lemmas(word)

    def _owned(self, place: int) -> int:
        """ "orchards which farmers own": the place behind whose they are; 0 where that is not read here."""
        if self.tokens[place].word not in ("that", "which") or self.clause is None or self.last is None:
            return 0
        owner = noun_phrase(self.tokens, place + 1)  # "own" is a determiner as well
        inner = subclause_at(self.tokens, place + 1, sure=True)
        if inner is not None and lacks_object(self.tokens, inner.verb):
            owner = replace(inner.subject, end=inner.verb)
        if owner is None or not acts(owner) or owner.end >= len(self.tokens):
            return 0
        behind = self.tokens[owner.end + 1 : owner.end + 2]
        goes_on = bool(behind) and (behind[0].word == "to" or behind[0].is_participle)  # "have tried on"
        if self.tokens[owner.end].word not in _KEEPING or goes_on:
            return 0
        words = [token.word for token in self.tokens[place + 1 : owner.end + 1]]
        self.clause.states.append(" ".join(word for word in words if word not in _THEIR))
        mine = self.result.business
        ours = mine is not None and owner.head == mine.head
        if self.clause.pattern != "purchase" and not ours:
            self.clause.roles.setdefault("of", []).append(owner)
        return owner.end + 1
