"""Limits: numbers that a sentence states as rules, "at most three", "two months' notice"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Literal

from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.tokens import SentenceToken

_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1
    )
}
_MOST = (("at", "most"), ("up", "to"), ("no", "more", "than"), ("not", "more", "than"), ("maximum", "of"))
"""Words behind which a number is the largest that is allowed."""
_LONGEST_MOST = max(map(len, _MOST))
_LONGEST_NOUN = 3
_MOST_DIGITS = 3
"""Digits of a number that is read; what has more is no limit, and may be too long for a number at all."""
_RATES = frozenset(("a", "per", "each", "every"))
DAYS_OF = {"day": 1, "week": 7, "month": 30, "year": 365}


@dataclass(frozen=True)
class StatedLimit:
    """A number that a sentence states.

    Attributes:
        kind: `most` things at one time, or so much `notice`.
        number: How many.
        unit: The time that is counted, in the singular; "" where none is.
        tokens: The words that say so.
        noun: The words behind the number that say what is counted, in the singular; "" where none do.
    """

    kind: Literal["most", "notice"]
    number: int
    unit: str
    tokens: tuple[SentenceToken, ...]
    noun: str = ""

    @property
    def days(self) -> int:
        """Its length in days; 0 where no time is counted."""
        return self.number * DAYS_OF.get(self.unit, 0)


def limits_of(tokens: list[SentenceToken]) -> Iterator[StatedLimit]:
    """The limits that a text states, in order; "at most two hours" is none on how many there are."""
    for place, token in enumerate(tokens):
        number = number_of(token)
        if not number or number > DAYS_OF["year"]:
            continue
        behind = tokens[place + 1 : place + 3]
        unit = singular(behind[0].word) if behind else ""
        if unit in DAYS_OF and len(behind) == 2 and behind[1].word == "notice":
            yield StatedLimit("notice", number, unit, (token, *behind))
        before = tuple(each.word for each in tokens[max(0, place - _LONGEST_MOST) : place])
        stated = next((words for words in _MOST if before[-len(words) :] == words), ())
        behind = tokens[place + 1 : place + 1 + _LONGEST_NOUN + 4]
        closing = 0 if stated else _most_behind(behind)
        is_rate = _is_rate(behind[closing:] if closing else behind)
        if (stated or closing) and not is_rate and unit not in (*DAYS_OF, "hour", "minute", "percent"):
            words = (*tokens[place - len(stated) : place + 1], *behind[closing - 2 : closing])
            yield StatedLimit(
                "most", number, "", words, _counted(tokens[place + 1 : place + 1 + _LONGEST_NOUN])
            )


def number_of(token: SentenceToken) -> int:
    """The number that a word or digits write; 0 where they write none."""
    return _NUMBERS.get(token.word) or _written_number(token.word)


def _is_rate(behind: list[SentenceToken]) -> bool:
    """Whether what follows a number counts in a time, "two bookings a week", not what there is at once."""
    return any(one.word in _RATES and singular(other.word) in DAYS_OF for one, other in pairwise(behind))


def _counted(behind: list[SentenceToken]) -> str:
    """The words of the noun with which what follows a number begins: "small boats" of "small boats each"."""
    words = takewhile(lambda token: token.is_content, behind)
    return singular(" ".join(token.word for token in words))


def _most_behind(behind: list[SentenceToken]) -> int:
    """How many tokens behind a number end with "at most", as in "six books at most"; 0 where none do."""
    for end in range(2, len(behind) + 1):
        if [token.word for token in behind[end - 2 : end]] == ["at", "most"]:
            return end if all(token.is_content for token in behind[: end - 2]) else 0
    return 0


def _written_number(word: str) -> int:
    return int(word) if len(word) <= _MOST_DIGITS and word.isdecimal() else 0
