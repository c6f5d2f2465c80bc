"""Phrases: where a noun phrase begins and ends."""

from __future__ import annotations

from dataclasses import dataclass

from synthesis.procedural.sentence.inflection import lemmas, singular
from synthesis.procedural.sentence.lexicon import is_business, kinds_of, verbs
from synthesis.procedural.sentence.modifiers import ends_with_state, is_state
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    NUMBERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    SentenceToken,
)
from synthesis.procedural.sentence.word_lists import word_list

_MOST_WORDS = 4
"""Words that a noun phrase keeps of itself."""


@dataclass(frozen=True)
class NounPhrase:
    """A noun with what describes it."""

    text: str
    """In the singular and lower case."""
    tokens: tuple[SentenceToken, ...]
    end: int
    """Place of the first token behind it."""
    many: bool = False
    determiner: str = ""
    """The determiner it begins with."""

    @property
    def head(self) -> str:
        """Its last word."""
        return self.text.rpartition(" ")[2]


def noun_phrase(tokens: list[SentenceToken], start: int, *, stop: int | None = None) -> NounPhrase | None:
    """The noun phrase that begins at a place; None where none does."""
    end, words = start, list[SentenceToken]()
    limit = len(tokens) if stop is None else min(stop, len(tokens))
    while end < limit:
        token = tokens[end]
        if not token.is_word or (token.word in _BOUNDARIES and (words or token.word not in DETERMINERS)):
            break
        if token.word in DETERMINERS | ADVERBS or token.is_number:
            if words and (token.word in DETERMINERS or is_state(tokens, end + 1) or _counts(tokens, end)):
                break
        elif words and (_ends_with_state(tokens, end, words) or _is_apart(tokens, end)):
            break
        elif token.is_content and not token.is_adverb:
            words.append(token)
        end += 1
    if not words or [token.word for token in words] == ["free"]:
        return None
    words = words[-_MOST_WORDS:]
    text = " ".join(map(_without_possession, words))
    one = singular(text)
    first = tokens[start].word
    return NounPhrase(
        one, tuple(words), end, many=one != text, determiner=first if first in DETERMINERS | NUMBERS else ""
    )


def is_of_things(phrase: NounPhrase) -> bool:
    """Whether a phrase names several things, which do nothing themselves: "stage lights"."""
    acting = {"party", "staff", "business"} & set(kinds_of(phrase.text))
    return phrase.many and not acting and not is_business(phrase.head)


def _without_possession(token: SentenceToken) -> str:
    """ "vet" of "vets' bills"."""
    owner = token.text.endswith(("s'", "s\u2019")) and kinds_of(token.word)[:1] != ("time",)
    return singular(token.word) if owner else token.word


def _counts(tokens: list[SentenceToken], place: int) -> bool:
    """ "pays photographers 40 cents": whether a number behind a plural begins what is counted by it."""
    token, before = tokens[place], tokens[place - 1]
    number = token.word in NUMBERS or token.word.isdecimal()
    behind = tokens[place + 1 : place + 2]
    many = singular(before.word) != before.word
    time = bool(behind) and kinds_of(behind[0].word)[:1] == ("time",)  # "the rest six weeks before"
    return number and (many or time) and bool(behind) and behind[0].is_content


def _is_apart(tokens: list[SentenceToken], place: int) -> bool:
    if tokens[place].word == "round" and singular(tokens[place - 1].word) != tokens[place - 1].word:
        return True  # "takes school parties round"
    if _is_act_behind_day(tokens, place) or _is_free_of_all(tokens, place):
        return True
    return ends_phrase(tokens, place) or _says_when(tokens, place) or _has_object(tokens, place)


def _is_act_behind_day(tokens: list[SentenceToken], place: int) -> bool:
    """ "orders before Wednesday go out": whether a verb stands behind the name of a day."""
    before, token = tokens[place - 1], tokens[place]
    day = kinds_of(before.word)[:1] == ("time",) and before.text[0].isupper()
    return day and token.is_base and token.verb in verbs()


def _is_free_of_all(tokens: list[SentenceToken], place: int) -> bool:
    """ "replaces frames free": whether "free" behind a noun says what something costs."""
    before, behind = tokens[place - 1], tokens[place + 1 : place + 2]
    named = before.is_content and tokens[place].word == "free"
    return named and not (behind and behind[0].is_content)


def _has_object(tokens: list[SentenceToken], place: int) -> bool:
    """ "a groomer covering three towns": whether a word in -ing behind a noun has an object of its own, so
    that it describes no noun that follows."""
    behind = tokens[place + 1 : place + 2]
    begins = bool(behind) and (behind[0].word in DETERMINERS - {"that"} or behind[0].is_number)
    return tokens[place].is_gerund and begins and tokens[place - 1].is_content


def _says_when(tokens: list[SentenceToken], place: int) -> bool:
    """ "takes calls day and night": whether a time behind a plural says when."""
    before = tokens[place - 1]
    many = before.is_content and singular(before.word) != before.word
    time = kinds_of(tokens[place].word)[:1] == ("time",) and kinds_of(before.word)[:1] != ("time",)
    behind = tokens[place + 1 : place + 2]
    time = time and "VERB" not in lemmas(tokens[place].word)  # "five centimetres fall"
    return (
        many
        and time
        and singular(before.word) not in _PLURAL_MODIFIERS
        and not (behind and behind[0].is_content)
    )


def _ends_with_state(tokens: list[SentenceToken], place: int, words: list[SentenceToken]) -> bool:
    return words[-1] is tokens[place - 1] and ends_with_state(tokens, place)


def ends_phrase(tokens: list[SentenceToken], place: int) -> bool:
    """Whether a word such as "weekly" says how often, and describes no noun that follows it."""
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is not None and (following.is_content or following.word in NUMBERS):
        return False
    word = tokens[place].word
    return word.endswith("ly") and "ADV" in lemmas(word)


_BOUNDARIES = (PREPOSITIONS | CONJUNCTIONS | SUBORDINATORS | AUXILIARIES | PRONOUNS) - NUMBERS - DETERMINERS

_PLURAL_MODIFIERS = frozenset(word_list("plural_modifiers"))
