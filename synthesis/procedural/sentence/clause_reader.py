"""Clause reader: what a reader of a sentence knows of its clauses, and how phrases and states join them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from synthesis.procedural.sentence.clauses import OBJECT, Clause, Parse
from synthesis.procedural.sentence.inflection import lemmas, participle, singular
from synthesis.procedural.sentence.lexicon import NEUTRAL, kinds_of, verbs
from synthesis.procedural.sentence.modifiers import STATE_WORDS, ends_with_state, is_state, state_end
from synthesis.procedural.sentence.phrases import (
    NounPhrase,
    new_particle_of,
    noun_phrase,
    particle_behind_pronoun,
    particle_of,
    takes_object,
)
from synthesis.procedural.sentence.subclauses import (
    Subclause,
    clause_of_pronoun,
    conditions_last,
    lacks_object,
    object_relative,
    subclause_at,
)
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    STATIVE,
    SentenceToken,
)

_CAUSING = frozenset(("keep", "have", "get"))
"""Verbs before a state that only say that it is brought about."""
_GOING_ON = frozenset(("keep", "start", "begin", "stop"))
"""Verbs before another one in -ing, which say only that this is done."""
_LETTING = frozenset(("let", "have", "make", "help"))
"""Verbs before somebody and a further verb: what is done is done by those."""
_SUBJECT_WORDS = 3
"""Words of a subject that a further clause may have."""


def acts(subject: NounPhrase) -> bool:
    """Whether what a condition is about does something for or with the business: "the wind" does not."""
    return bool({"party", "staff", "business"} & set(kinds_of(subject.text)))


@dataclass(frozen=True)
class Main:
    """The subject of a sentence's main clause, to which its verb's form belongs."""

    third: bool
    agent: NounPhrase | None


class ClauseReader:
    """The clauses of one sentence while they are read.

    Args:
        result: What was read so far.
        tokens: The sentence.
    """

    def __init__(self, result: Parse, tokens: list[SentenceToken]) -> None:
        self.result, self.tokens = result, conditions_last(tokens)
        self.clause: Clause | None = None
        self.last: NounPhrase | None = None
        self.third = True
        self.main = Main(third=True, agent=None)
        self.embedded = False
        self.states: list[str] = []

    def _describing(self, tokens: list[SentenceToken]) -> None:
        place = 0
        while place < len(tokens):
            if is_state(tokens, place):
                end = state_end(tokens, place)
                self.states.append(" ".join(token.word for token in tokens[place:end]))
                place = end
                continue
            phrase = noun_phrase(tokens, place)
            if phrase is None:
                place += 1
                continue
            self.result.extras.append(phrase)
            place = phrase.end

    def _verb_group(self, place: int, agent: NounPhrase | None) -> int:
        """Begin a clause at a verb or auxiliary; the place behind the verb."""
        token = self.tokens[place]
        passive = False
        while place < len(self.tokens) and (
            self.tokens[place].word in AUXILIARIES or self.tokens[place].word in ADVERBS
        ):
            passive = passive or self.tokens[place].word in ("is", "are", "be", "was", "were", "been")
            place += 1
        if place >= len(self.tokens):
            return place
        token = self.tokens[place]
        if not token.verb or (passive and not (token.is_participle or token.is_gerund)):
            return place  # "is a bakery that ..."
        return self._begin(place, agent)

    def _begin(self, place: int, agent: NounPhrase | None) -> int:
        token = self.tokens[place]
        if token.verb in _LETTING and (done := self._let(place)) is not None:
            return done
        following = self.tokens[place + 1] if place + 1 < len(self.tokens) else token
        if token.verb in _GOING_ON and following.is_gerund and following.verb in verbs():
            self.result.silent.append(token)  # "tenants keep reporting leaks"
            return self._begin(place + 1, agent)
        particle = particle_of(self.tokens, place) or new_particle_of(self.tokens, place)
        taken = [token] + ([self.tokens[place + 1]] if particle else [])
        behind = place + len(taken)
        if not particle and (particle := particle_behind_pronoun(self.tokens, place)):
            taken.append(self.tokens[place + 2])  # "drop them off"
        verb = f"{token.verb} {particle}".strip()
        self.clause = Clause(verb, agent=agent, tokens=taken, states=self.states)
        self.states = []
        self.result.clauses.append(self.clause)
        self.last = None
        return behind

    def _let(self, place: int) -> int | None:
        """ "lets members reserve beds": what others do; None where the verb is only done to something."""
        inner = subclause_at(self.tokens, place + 1, bare=True)
        if inner is None or lacks_object(self.tokens, inner.verb):
            return None
        if kinds_of(inner.subject.text) and not acts(inner.subject):
            return None
        self.result.silent.append(self.tokens[place])
        self._describing(self.tokens[inner.subject.end : inner.verb])
        self.third = False
        return self._begin(inner.verb, inner.subject)

    def _done_by(self, inner: Subclause, about: NounPhrase) -> int:
        """ "defects that plumbers repair": what somebody does to what was named."""
        if not acts(inner.subject):
            return self._state(inner.subject.end - 1)
        self.third = not inner.subject.many
        objects = self._named_with(about)
        behind = self._verb_group(inner.verb, inner.subject)
        if self.clause is not None:
            self.clause.roles[OBJECT] = objects
        return behind

    def _named_with(self, about: NounPhrase) -> list[NounPhrase]:
        """What a relative clause speaks of: "desks and rooms that members reserve"."""
        listed = self.clause.roles.get(OBJECT, []) if self.clause is not None else self.result.extras
        if about not in listed:
            return [about]
        named = [about]
        for before in reversed(listed[: listed.index(about)]):
            between = self.tokens[before.end : self._start(named[0])]
            if not all(token.text == "," or token.word in CONJUNCTIONS | DETERMINERS for token in between):
                break
            named.insert(0, before)
        return named if all(each.many for each in named) else [about]

    def _start(self, phrase: NounPhrase) -> int:
        return next((n for n, token in enumerate(self.tokens) if token is phrase.tokens[0]), phrase.end)

    def _left(self, place: int) -> int:
        """ "auctions off what people leave behind": things in a state; the place behind it, 0 of no such."""
        if self.tokens[place].word not in ("what", "whatever") or self.clause is None:
            return 0
        inner = subclause_at(self.tokens, place + 1, sure=True)
        if inner is None or OBJECT in self.clause.roles or not lacks_object(self.tokens, inner.verb):
            return 0
        end = inner.verb + 1
        while end < len(self.tokens) and self.tokens[end].word in STATE_WORDS:
            end += 1
        particles = " ".join(token.word for token in self.tokens[inner.verb + 1 : end])
        verb = self.tokens[inner.verb].verb
        self.clause.roles[OBJECT] = [NounPhrase("item", (), place + 1, many=True)]
        self.clause.states.append(f"{participle(verb)} {particles}".strip())
        self._known_people(inner.subject)
        return end

    def _known_people(self, subject: NounPhrase) -> None:
        if self.clause is not None and acts(subject):
            self.clause.roles.setdefault("from", []).append(subject)

    def _own_subject(self, place: int, before: SentenceToken | None) -> Subclause | None:
        """A further clause with a subject of its own: ", and researchers may request samples"."""
        if before is None or not (before.text == "," or before.word in CONJUNCTIONS):
            return None
        inner = subclause_at(self.tokens, place)
        if inner is None or not acts(inner.subject) or len(inner.subject.tokens) > _SUBJECT_WORDS:
            return None
        certain = self.tokens[inner.verb].word in AUXILIARIES or not lacks_object(self.tokens, inner.verb)
        return inner if certain or self._acts_alone(inner) else None

    def _acts_alone(self, inner: Subclause) -> bool:
        """ "guests book online": people and a known verb of theirs, with only how behind it."""
        following = self.tokens[inner.verb + 1 : inner.verb + 2]
        how = not following or not following[0].is_word or following[0].word in ADVERBS | CONJUNCTIONS
        return how and inner.subject.many and self.tokens[inner.verb].verb in verbs()

    def _owned(self, place: int) -> int:
        """ "orchards which farmers own": the place behind whose they are; 0 where that is not read here."""
        if self.tokens[place].word not in ("that", "which") or self.clause is None or self.last is None:
            return 0
        owner = noun_phrase(self.tokens, place + 1)
        if owner is None or owner.end >= len(self.tokens) or self.tokens[owner.end].word != "own":
            return 0
        words = [token.word for token in self.tokens[place + 1 : owner.end + 1]]
        self.clause.states.append(" ".join(words))
        return owner.end + 1

    def _object_relative(self, place: int) -> Subclause | None:
        near = self.last is not None and place - self.last.end <= 1
        if self.last is None or not near or self.tokens[place].word not in ("that", "which", "whom"):
            return None
        return object_relative(self.tokens, place + 1, self.last)

    def _relative(self, place: int) -> bool:
        following = self._behind_adverbs(place + 1)
        return following is not None and bool(following.verb or following.word in AUXILIARIES)

    def _behind_adverbs(self, place: int) -> SentenceToken | None:
        while place < len(self.tokens) and self.tokens[place].word in ADVERBS:
            place += 1
        return self.tokens[place] if place < len(self.tokens) else None

    def _state_of_thing(self, place: int) -> int:
        while place < len(self.tokens) and not self.tokens[place].is_content:
            place += 1
        return self._state(place) if place < len(self.tokens) else place

    def _state_at(self, place: int) -> int | None:
        """The place of a state that begins here, adverbs before it left out: "no longer made"."""
        start = place
        if self._names_more(place):
            return None
        while place < len(self.tokens) and self.tokens[place].word in ADVERBS | {"no"}:
            place += 1
        is_one = place < len(self.tokens) and self._is_state(place, direct=place == start)
        return place if is_one else None

    def _is_state(self, place: int, *, direct: bool) -> bool:
        """Whether a word says in what state a noun before it is: "items found on trains"."""
        direct = direct and self.last is not None and self.last.end == place and place > 0
        return (direct and ends_with_state(self.tokens, place)) or is_state(self.tokens, place)

    def _state(self, place: int) -> int:
        """Read a state; "keeps runways cleared" is what the business does to runways."""
        clause, end = self.clause, state_end(self.tokens, place)
        if clause is None:
            return end
        objects = clause.roles.get(OBJECT, [])
        is_caused = clause.verb in _CAUSING and objects and objects[-1] is self.last
        if is_caused and self.tokens[place].is_participle:
            particle = particle_of(self.tokens, place)
            clause.verb = f"{self.tokens[place].verb} {particle}".strip()
            self.result.silent.append(clause.tokens[0])
            return place + 1 + bool(particle)
        words = [token.word for token in self.tokens[place:end]]
        holds = self.tokens[place].is_gerund or self.tokens[place].verb in STATIVE
        if holds and (held := noun_phrase(self.tokens, end)) is not None:
            words.extend(token.word for token in held.tokens)
            end = held.end
        clause.states.append(" ".join(words))
        return end

    def _pronoun(self, place: int, role: str) -> int:
        """ "repairs them": what the clause before was about."""
        earlier = self.result.clauses[:-1]
        if (
            self.clause is not None
            and role == OBJECT
            and self.tokens[place].word in ("it", "them")
            and earlier
            and not self._receives(place)
        ):
            objects = self._antecedents(earlier, many=self.tokens[place].word == "them")
            infinitive = self._infinitive(place)
            people = [p for c in earlier for phrases in c.roles.values() for p in phrases if acts(p)]
            if infinitive and people:
                self.clause.states.append(infinitive)
                objects, place = people[-1:], place + 2
            self.clause.roles.setdefault(OBJECT, []).extend(objects)
        behind = self.tokens[place + 1 : place + 2]
        particle = self.clause is not None and behind and behind[0] is self.clause.tokens[-1]
        return place + 2 if particle else place + 1

    def _infinitive(self, place: int) -> str:
        """ "reminds them to change": what people are to do; "" where the pronoun may be a thing."""
        behind = self.tokens[place + 1 : place + 3]
        infinitive = len(behind) == 2 and behind[0].word == "to" and behind[1].is_base
        return behind[1].word if infinitive and lacks_object(self.tokens, place + 2) else ""

    def _antecedents(self, earlier: list[Clause], *, many: bool) -> list[NounPhrase]:
        """What "it" or "them" speaks of: the latest object in that number, else the latest one."""
        objects = [clause.roles[OBJECT] for clause in reversed(earlier) if clause.roles.get(OBJECT)]
        return next((each for each in objects if each[-1].many == many), objects[0] if objects else [])

    def _verb_of_pronoun(self, place: int) -> int | None:
        if self.clause is None or self.tokens[place - 1] is self.clause.tokens[-1]:
            return None
        return clause_of_pronoun(self.tokens, place) or None

    def _of_pronoun(self, verb: int) -> int:
        """ "to whom it pays commission": an act of the business; "what they use": a state."""
        if lacks_object(self.tokens, verb) or self.clause is None:
            return self._state(verb)
        return self._begin(verb, self._they(verb))

    def _they(self, verb: int) -> NounPhrase | None:
        """Whom "they" before a verb speaks of: those who did something before; None for the business."""
        spoken = any(token.word == "they" for token in self.tokens[max(verb - 2, 0) : verb])
        agent = self.clause.agent if self.clause is not None else None
        return agent if spoken and agent is not None and agent.many else None

    def _receives(self, place: int) -> bool:
        """ "sells them tyres": whether a pronoun is who gets what follows."""
        following = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        named = noun_phrase(self.tokens, place + 1) if following is not None else None
        if named is not None and "time" in kinds_of(named.text)[:1]:
            return False  # "delivers them the same day"
        return (
            following is not None
            and (following.is_content or following.word in ("a", "an", "the"))
            and not is_state(self.tokens, place + 1)
            and not following.is_adverb
        )

    def _of_same(self, phrase: NounPhrase) -> NounPhrase:
        """ "delivers clean ones": more of what was named before."""
        end = phrase.end
        if end >= len(self.tokens) or self.tokens[end].word not in ("one", "ones"):
            return phrase
        named = [each for clause in self.result.clauses for each in clause.roles.get(OBJECT, ())]
        if not named:
            return phrase
        return replace(phrase, text=f"{phrase.text} {named[-1].head}", end=end + 1)

    def _main_verb_behind(self, place: int) -> int | None:
        """Where the main clause goes on: "A sweep that cleans flues issues certificates"."""
        for number in range(place, len(self.tokens) - 1):
            token, following = self.tokens[number], self.tokens[number + 1]
            if not token.is_content and (number > place or token.word not in DETERMINERS):
                return None
            known = number > 0 and self._goes_on(number)
            has_object = following.is_content or following.word in DETERMINERS | PRONOUNS
            if known and self.tokens[number - 1].is_content and has_object:
                return number
        return None

    def _goes_on(self, place: int) -> bool:
        """Whether a word in the form "hands" is a verb: a known one, or one between two plurals."""
        token, before = self.tokens[place], self.tokens[place - 1]
        between = singular(before.word) != before.word and takes_object(token, self.tokens[place + 1])
        return token.is_third_person and (token.verb in verbs() or between)

    def _those(self, place: int) -> NounPhrase | None:
        """ "those who attend", "the best": people, or more of what was named before."""
        token = self.tokens[place]
        following = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        if following is None:
            return None
        if token.word == "the" and following.word.endswith("est"):
            behind = self.tokens[place + 2] if place + 2 < len(self.tokens) else None
            if "ADJ" not in lemmas(following.word) or (behind is not None and behind.is_content):
                return None
        elif not self._names_more(place) and (
            token.word not in ("those", "these") or following.word not in RELATIVE
        ):
            return None
        named = [each for clause in self.result.clauses for each in clause.roles.get(OBJECT, ())]
        if following.word == "who":
            people = [each for each in named if acts(each)]
            named = people or [NounPhrase("person", (), place + 1, many=True)]
        if not named:
            return None
        more = self._names_more(place)
        if self.clause is not None and (more or token.word == "the"):
            self.clause.states.append(token.word if more else following.word)
        return replace(named[-1], end=place + 1 + (more or token.word == "the"))

    def _names_more(self, place: int) -> bool:
        """ "lost ones": whether a participle says which of those that were named before are meant."""
        behind = self.tokens[place + 1 : place + 2]
        return self.tokens[place].is_participle and bool(behind) and behind[0].word in ("one", "ones")

    def _complement(self, place: int, role: str) -> int:
        """ "when an artist falls ill": the place behind an adjective that no noun follows, else the same."""
        token = self.tokens[place]
        parts, following = (
            lemmas(token.word),
            self.tokens[place + 1] if place + 1 < len(self.tokens) else None,
        )
        alone = following is None or not (following.is_content or following.word in PREPOSITIONS)
        of_state = self.clause is not None and (
            self.clause.pattern == NEUTRAL or self.clause.agent is not None
        )
        plain = "ADJ" in parts and not kinds_of(token.word) and singular(token.word) == token.word
        if (
            role != OBJECT
            or token.word in ADVERBS
            or self.clause is None
            or self.last is not None
            or not (alone and of_state and plain)
        ):
            return place
        self.clause.states.append(token.word)
        return place + 1
