"""References: what pronouns and words such as "those" or "lost ones" speak of in a sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

from synthesis.procedural.sentence.clauses import OBJECT, TELLING, Clause, Parse
from synthesis.procedural.sentence.inflection import lemmas, singular
from synthesis.procedural.sentence.lexicon import NEUTRAL, is_listed, kinds_of
from synthesis.procedural.sentence.modifiers import is_passive, is_state
from synthesis.procedural.sentence.phrases import NounPhrase, ends_phrase, noun_phrase
from synthesis.procedural.sentence.subclauses import conditions_last, lacks_object
from synthesis.procedural.sentence.tokens import ADVERBS, NUMBERS, PREPOSITIONS, RELATIVE, SentenceToken

_DONE_TO_THINGS = frozenset(("cleaning", "repair", "storage", "recycling"))
_OF_THEM = frozenset(("its", "their"))
_ANYTHING = frozenset(("anything", "everything", "something"))
_IT = frozenset(("it", "they", "he", "she", "we"))
_ANYONE = frozenset(("anyone", "anybody", "everyone", "everybody", "someone", "somebody"))


def acts(subject: NounPhrase) -> bool:
    """Whether what a condition is about does something for or with the business: "the wind" does not."""
    return bool({"party", "staff", "business"} & set(kinds_of(subject.text)))


@dataclass(frozen=True)
class Main:
    """The subject of a sentence's main clause, to which its verb's form belongs."""

    third: bool
    agent: NounPhrase | None


class ReferenceReader:
    """What a sentence has named so far, while it is read.

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

    def _people(self) -> NounPhrase | None:
        """Those who were named last."""
        named = list[NounPhrase]()
        for clause in self.result.clauses:
            named += [clause.agent] if clause.agent is not None else []
            named += [phrase for phrases in clause.roles.values() for phrase in phrases]
        acting = [each for each in reversed(named) if acts(each)]
        people = (each for each in acting if {"party", "staff"} & set(kinds_of(each.text)))
        return next(people, acting[0] if acting else None)

    def _pronoun(self, place: int, role: str) -> int:
        """ "repairs them": what the clause before was about."""
        earlier = self.result.clauses[:-1]
        if (
            self.clause is not None
            and role == OBJECT
            and self.tokens[place].word in ("it", "them")
            and earlier
            and self._goes_home(place)
        ):
            self.clause.roles.setdefault(OBJECT, []).extend(filter(None, [self._people()]))
            return place + 1
        if (
            self.clause is not None
            and role == OBJECT
            and self.tokens[place].word in ("it", "them")
            and earlier
            and not self._receives(place)
        ):
            objects = self._antecedents(earlier, many=self.tokens[place].word == "them")
            if self.clause.pattern == "billing" and not any(map(acts, objects)):
                objects = self._billed(objects)
            infinitive = self._infinitive(place)
            people = [p for c in earlier for phrases in c.roles.values() for p in phrases if acts(p)]
            if infinitive and people:
                self.clause.states.append(infinitive)
                objects, place = people[-1:], place + 2
            self.clause.roles.setdefault(OBJECT, []).extend(objects)
        behind = self.tokens[place + 1 : place + 2]
        particle = self.clause is not None and behind and behind[0] is self.clause.tokens[-1]
        return place + 2 if particle else place + 1

    def _goes_home(self, place: int) -> bool:
        """ "cooks for pensioners and drives them home": whether a pronoun is people, who alone go home."""
        behind = self.tokens[place + 1 : place + 2]
        return bool(behind) and behind[0].word == "home" and self._people() is not None

    def _billed(self, objects: list[NounPhrase]) -> list[NounPhrase]:
        """ "charges them by weight": those who brought what was named, rather than that."""
        people = [c.agent for c in self.result.clauses if c.agent is not None and acts(c.agent)]
        named = self._people()
        return people[-1:] or ([named] if named is not None else objects)

    def _infinitive(self, place: int) -> str:
        """ "reminds them to change": what people are to do; "" where the pronoun may be a thing."""
        behind = self.tokens[place + 1 : place + 3]
        infinitive = len(behind) == 2 and behind[0].word == "to" and behind[1].is_base
        return behind[1].word if infinitive and lacks_object(self.tokens, place + 2) else ""

    def _antecedents(self, earlier: list[Clause], *, many: bool) -> list[NounPhrase]:
        """What "it" or "them" speaks of: the latest object in that number, else the latest one."""
        objects = [clause.roles[OBJECT] for clause in reversed(earlier) if clause.roles.get(OBJECT)]
        pattern = self.clause.pattern if self.clause is not None else ""
        if pattern == TELLING:
            named = ((c.agent, *(p for phrases in c.roles.values() for p in phrases)) for c in earlier)
            people = [each for those in named for each in those if each is not None and acts(each)]
            if those := [each for each in people if each.many == many]:
                return those[-1:]  # "hands complaints to the department and reminds it"
        things = [each for each in objects if not acts(each[-1])] if pattern in _DONE_TO_THINGS else []
        objects = things or objects
        owners = [each for each in objects if each[-1].determiner not in _OF_THEM]
        objects = owners or objects  # "tests its moisture and dries it": what the moisture is of
        return next((each for each in objects if each[-1].many == many), objects[0] if objects else [])

    def _they(self, verb: int) -> NounPhrase | None:
        """Whom "they" before a verb speaks of: those who did something before; None for the business."""
        spoken = any(token.word == "they" for token in self.tokens[max(verb - 2, 0) : verb])
        agent = self.clause.agent if self.clause is not None else None
        return agent if spoken and agent is not None and agent.many else None

    def _is_of_them(self, place: int, verb: int) -> bool:
        """ "releases them when they weigh enough": whether a condition is on what was just spoken of."""
        words = [token.word for token in self.tokens[max(place - 1, 0) : verb]]
        if not self.tokens[verb].verb and not is_passive(self.tokens, verb):
            return False
        return words[:1] in (["them"], ["it"]) and words[-1:] in (["they"], ["it"], ["nothing"])

    def _they_or_people(self, verb: int) -> NounPhrase | None:
        """ "when they leave": those who did something before, else those who were named last."""
        they = self._they(verb)
        return self._people() if they is None and self.tokens[verb - 1].word == "they" else they

    def _receives(self, place: int) -> bool:
        """ "sells them tyres": whether a pronoun is who gets what follows."""
        following = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        named = noun_phrase(self.tokens, place + 1) if following is not None else None
        if named is not None and "time" in kinds_of(named.text)[:1]:
            return False  # "delivers them the same day"
        return (
            following is not None
            and (following.is_content or following.word in {"a", "an", "the"} | NUMBERS)
            and not is_state(self.tokens, place + 1)
            and not (following.is_adverb or ends_phrase(self.tokens, place + 1))
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
        elif token.word == "the" and self._is_of_those(place + 1):
            pass
        elif not self._names_more(place) and (
            token.word not in {"those", "these"} | _ANYONE | _ANYTHING or following.word not in RELATIVE | _IT
        ):
            return None
        named = [each for clause in self.result.clauses for each in clause.roles.get(OBJECT, ())]
        named = [each for each in named if each.determiner not in _OF_THEM] or named
        if following.word == "who":
            people = [each for each in (self._people(),) if each is not None]
            named = people or [NounPhrase("person", (), place + 1, many=True)]
        if not named:
            return None
        more = self._names_more(place)
        if self.clause is not None and (more or token.word == "the"):
            self.clause.states.append(token.word if more else singular(following.word))
        return replace(named[-1], end=place + 1 + (more or token.word == "the"))

    def _is_of_those(self, place: int) -> bool:
        """ "the originals": whether a plural of an adjective is of things that were named before."""
        token, behind = self.tokens[place], self.tokens[place + 1 : place + 2]
        one = singular(token.word)
        plain = one != token.word and "ADJ" in lemmas(one) and not is_listed(one)
        return plain and not (behind and behind[0].is_content)

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
