"""Reader: a sentence becomes its business, its processes with their objects, and the kinds of its nouns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from synthesis.procedural.sentence.inflection import is_word, lemmas
from synthesis.procedural.sentence.lexicon import NEUTRAL, is_business, kinds_of, verbs
from synthesis.procedural.sentence.phrases import (
    NounPhrase,
    ends_phrase,
    main_verb,
    noun_phrase,
    particle_of,
    starts_verb,
)
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    CLOSED,
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    SUBORDINATORS,
    SentenceToken,
    tokens_of,
)

OBJECT = ""
"""The role of what a verb is done to; other roles are named by their preposition or conjunction."""
OFTEN = "every"
"""The role of an adverb that says how often: "ships shiitake weekly"."""

_OF_PLACES = frozenset({"to", "at", "on", "near", "into"})
"""Prepositions before which a verb in -ing belongs to the noun after it."""
_WRAPPERS = (
    "simulate",
    "build",
    "create",
    "make",
    "write",
    "generate",
    "model",
    "describe",
    "imagine",
    "synthesise",
    "synthesize",
)
_FRAMES = frozenset(
    [
        "world",
        "environment",
        "app",
        "application",
        "system",
        "software",
        "platform",
        "tool",
        "database",
        "simulation",
        "scenario",
    ]
)


@dataclass
class Clause:
    """A verb with what belongs to it."""

    verb: str
    roles: dict[str, list[NounPhrase]] = field(default_factory=dict)
    agent: NounPhrase | None = None
    tokens: list[SentenceToken] = field(default_factory=list)

    @property
    def pattern(self) -> str:
        """The process pattern the verb calls for."""
        return verbs().get(self.verb) or verbs().get(self.verb.partition(" ")[0], NEUTRAL)


@dataclass
class Parse:
    """What the grammar made of a sentence."""

    business: NounPhrase | None = None
    clauses: list[Clause] = field(default_factory=list)
    extras: list[NounPhrase] = field(default_factory=list)
    """Noun phrases that describe the business: "in the old town"."""
    others: list[NounPhrase] = field(default_factory=list)
    """Further businesses with clauses of their own."""
    names: list[SentenceToken] = field(default_factory=list)
    """Proper names: of brands, people and places, which are never used."""
    tokens: list[SentenceToken] = field(default_factory=list)

    @property
    def content(self) -> list[SentenceToken]:
        """Tokens that carry content, without proper names and the frame "build a system that ..."."""
        named = {token.place for token in self.names}
        return [token for token in self.tokens if token.is_content and token.place not in named]


def parse(text: str) -> Parse:
    """The parse of one or several sentences about one business."""
    tokens = tokens_of(text)
    result = Parse(names=_names(tokens))
    named = {token.place for token in result.names}
    tokens = _anonymous(tokens, named)
    tokens = _unwrapped(tokens)
    result.tokens = tokens
    for sentence in _sentences(tokens):
        _SentenceReader(result, sentence).read()
    return result


def _names(tokens: list[SentenceToken]) -> list[SentenceToken]:
    """Capitalised words inside a sentence, and at its start where no dictionary has them."""
    matches = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        starts = before is None or before.text in ".!?:"
        capital = token.text[0].isupper() and token.is_word
        letters = token.text.isupper() and len(token.text) <= 3
        if capital and not letters and (not starts or not is_word(token.word)) and token.word not in CLOSED:
            if starts and _is_name_of_trade(token):
                continue
            if token.word not in verbs() or starts:
                matches.append(token)
    # A sentence typed in capitals throughout, or a title, holds no names.
    words = [token for token in tokens if token.is_word]
    return matches if len(matches) * 2 < len(words) else []


def _anonymous(tokens: list[SentenceToken], named: set[int]) -> list[SentenceToken]:
    """The tokens without proper names; a company where one stands alone before a verb."""
    result = []
    for number, token in enumerate(tokens):
        if token.place not in named:
            result.append(token)
            continue
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        alone = not result or not result[-1].is_word
        if alone and following is not None and following.is_third_person:
            result.append(SentenceToken("company", token.place))
    return result


def _is_name_of_trade(token: SentenceToken) -> bool:
    return is_business(token.word) or token.word in verbs()


def _unwrapped(tokens: list[SentenceToken]) -> list[SentenceToken]:
    """The tokens without a frame such as "Build a world in which ..." or "We are a bakery that ..."."""
    words = [token.word for token in tokens]
    if words and (words[0] in _WRAPPERS or (words[0] == "please" and words[1:2] and words[1] in _WRAPPERS)):
        for place, word in enumerate(words[:12]):
            if word in ("for", "about", "of", "where", "which", "that") and set(words[:place]) & _FRAMES:
                return tokens[place + 1 :]
        return tokens[1:] if words[1:2] and words[1] in DETERMINERS else tokens
    if words[:2] in (
        ["we", "are"],
        ["i", "am"],
        ["this", "is"],
        ["it", "is"],
        ["i", "run"],
        ["we", "run"],
        ["i", "own"],
    ):
        return tokens[2:]
    return tokens


def _sentences(tokens: list[SentenceToken]) -> list[list[SentenceToken]]:
    sentences: list[list[SentenceToken]] = [[]]
    for token in tokens:
        if token.text in ".;!?:":
            sentences.append([])
        else:
            sentences[-1].append(token)
    return [sentence for sentence in sentences if any(token.is_word for token in sentence)]


def _acts(subject: NounPhrase) -> bool:
    """Whether what a condition is about does something for or with the business: "the wind" does not."""
    return bool({"party", "staff", "business"} & set(kinds_of(subject.text)))


class _SentenceReader:
    """One sentence being read, from left to right."""

    def __init__(self, result: Parse, tokens: list[SentenceToken]) -> None:
        self.result, self.tokens = result, tokens
        self.clause: Clause | None = None
        self.last: NounPhrase | None = None
        self.third = True

    def read(self) -> None:
        """Read the whole sentence into the parse."""
        verb = main_verb(self.tokens, 0)
        subject = noun_phrase(self.tokens, 0, stop=verb)
        if verb is None:
            self._without_verb(subject)
            return
        agent = self._subject(subject, verb)
        self.third = self.tokens[verb].is_third_person
        place = self._verb_group(verb, agent)
        self._rest(place, agent)

    def _without_verb(self, subject: NounPhrase | None) -> None:
        """ "A salon with six chairs for dyeing hair": the verbs are gerunds or none."""
        self._subject(subject, subject.end if subject else 0)
        self._rest(subject.end if subject else 0, None)

    def _subject(self, subject: NounPhrase | None, verb: int) -> NounPhrase | None:
        """Who acts in the sentence: None for the business itself."""
        if subject is None:
            return None
        after = self.tokens[subject.end : verb]
        self._describing(after)
        mine = self.result.business
        if mine is None:
            self.result.business = subject
            return None
        if subject.text == mine.text or subject.head == mine.head:
            return None
        if is_business(subject.head) and len(subject.tokens) > 0 and self.tokens[0].word in ("a", "an"):
            self.result.others.append(subject)
            return None
        return subject

    def _describing(self, tokens: list[SentenceToken]) -> None:
        place = 0
        while place < len(tokens):
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
        particle = particle_of(self.tokens, place)
        verb = f"{token.verb} {particle}".strip()
        taken = [token] + ([self.tokens[place + 1]] if particle else [])
        self.clause = Clause(verb, agent=agent, tokens=taken)
        self.result.clauses.append(self.clause)
        self.last = None
        return place + len(taken)

    def _rest(self, place: int, agent: NounPhrase | None) -> None:
        role = OBJECT
        while place < len(self.tokens):
            token = self.tokens[place]
            before = self.tokens[place - 1] if place else None
            if not token.is_word or token.word in CONJUNCTIONS:
                place += 1
            elif token.word in RELATIVE and self.last is not None and self._relative(place):
                agent_here = self.last
                self.third = self.tokens[place + 1].is_third_person
                place = self._verb_group(
                    place + 1, None if agent_here is self.result.business else agent_here
                )
                role = OBJECT
            elif token.word in SUBORDINATORS:
                place, role = self._subordinate(place)
            elif self._joins(place, before):
                agent = self._coordinate_agent(agent)
                place = self._begin(place, agent)
                role = OBJECT
            elif token.word in PREPOSITIONS:
                place, role = self._preposition(place)
            elif (verb := self._other_business(place)) is not None:
                place, role = self._begin(verb, None), OBJECT
            else:
                place = self._phrase(place, role)

    def _other_business(self, place: int) -> int | None:
        """The place of the verb of ", and next door a law firm opens cases"; None where no such clause is."""
        joined = any(
            token.text == "," or token.word in CONJUNCTIONS
            for token in self.tokens[max(place - 3, 0) : place]
        )
        verb = main_verb(self.tokens, place) if joined and self.tokens[place].word in ("a", "an") else None
        subject = noun_phrase(self.tokens, place, stop=verb) if verb is not None else None
        if verb is None or subject is None or subject.end != verb or verb + 1 >= len(self.tokens):
            return None
        mine = self.result.business
        if not is_business(subject.head) or (mine is not None and subject.head == mine.head):
            return None
        self.result.others.append(subject)
        return verb

    def _coordinate_agent(self, agent: NounPhrase | None) -> NounPhrase | None:
        return agent

    def _relative(self, place: int) -> bool:
        following = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        return following is not None and bool(following.verb or following.word in AUXILIARIES)

    def _joins(self, place: int, before: SentenceToken | None) -> bool:
        """Whether a further verb of the same subject begins here."""
        if before is not None and (
            before.text == "," or before.word in CONJUNCTIONS or before.word in ADVERBS
        ):
            if self.clause is not None and self.clause.tokens[0].is_gerund and self.tokens[place].is_gerund:
                return self.tokens[place].verb in verbs()
            return starts_verb(self.tokens, place, third=self.third)
        return False

    def _subordinate(self, place: int) -> tuple[int, str]:
        """ "when storms close the harbour": a clause of its own, or a role of the one before."""
        word = self.tokens[place].word
        if place + 1 < len(self.tokens) and self.tokens[place + 1].is_gerund:
            return self._begin(place + 1, None), OBJECT
        verb = main_verb(self.tokens, place + 1, any_verb=True)
        comma = next(
            (p for p in range(place, len(self.tokens)) if self.tokens[p].text == ","), len(self.tokens)
        )
        if verb is None or verb > comma:
            return place + 1, word
        subject = noun_phrase(self.tokens, place + 1, stop=verb)
        if subject is not None and self.clause is not None:
            self.clause.roles.setdefault(word, []).append(subject)
        third, self.third = self.third, self.tokens[verb].is_third_person
        behind = self._verb_group(verb, subject if subject is not None and _acts(subject) else None)
        self.third = self.third if verb + 1 < len(self.tokens) else third
        return behind, OBJECT

    def _preposition(self, place: int) -> tuple[int, str]:
        word = self.tokens[place].word
        following = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        if following is not None and word == "to" and following.is_base and following.verb in verbs():
            behind = self.tokens[place + 2] if place + 2 < len(self.tokens) else None
            is_noun = "NOUN" in lemmas(following.word)
            if not is_noun or (behind is not None and (behind.word in DETERMINERS or behind.is_content)):
                return self._begin(place + 1, None), OBJECT
        if following is not None and following.is_gerund and following.verb in verbs():
            behind = self.tokens[place + 2] if place + 2 < len(self.tokens) else None
            if word in _OF_PLACES and behind is not None and behind.is_content:
                return place + 1, word  # "to building sites"
            if behind is not None and (behind.word in DETERMINERS | PRONOUNS or behind.is_content):
                return self._begin(place + 1, None), OBJECT
        return place + 1, word

    def _pronoun(self, place: int, role: str) -> int:
        """ "repairs them": what the clause before was about."""
        earlier = self.result.clauses[:-1]
        if (
            self.clause is not None
            and role == OBJECT
            and self.tokens[place].word in ("it", "them")
            and earlier
        ):
            objects = next((c.roles[OBJECT] for c in reversed(earlier) if c.roles.get(OBJECT)), [])
            self.clause.roles.setdefault(OBJECT, []).extend(objects)
        return place + 1

    def _of_same(self, phrase: NounPhrase) -> NounPhrase:
        """ "delivers clean ones": more of what was named before."""
        end = phrase.end
        if end >= len(self.tokens) or self.tokens[end].word not in ("one", "ones"):
            return phrase
        named = [each for clause in self.result.clauses for each in clause.roles.get(OBJECT, ())]
        if not named:
            return phrase
        return replace(phrase, text=f"{phrase.text} {named[-1].head}", end=end + 1)

    def _phrase(self, place: int, role: str) -> int:
        if self.clause is not None and ends_phrase(self.tokens, place):
            role = OFTEN
        phrase = noun_phrase(self.tokens, place)
        if phrase is None:
            return self._pronoun(place, role)
        phrase = self._of_same(phrase)
        self.last = phrase
        if self.clause is None:
            self.result.extras.append(phrase)
        else:
            self.clause.roles.setdefault(role, []).append(phrase)
        return phrase.end
