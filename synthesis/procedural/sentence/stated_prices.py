"""Stated prices: what a sentence says something costs, "£15 an hour", "late returns cost 50p a day"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.limits import RATES, number_at
from synthesis.procedural.sentence.tokens import SentenceToken

_CURRENCIES = frozenset(("euro", "pound", "dollar", "cent", "penny", "pence", "franc", "yen"))
_SMALL = frozenset(("cent", "penny", "pence"))
LATE = frozenset(("late", "overdue", "lateness", "fine", "fined"))
"""Words by which a price is that of days after an end."""
_JOINING = frozenset((",", "and", "but"))
_ENDS = frozenset((".", ";", ":", "!", "?"))
_DAYS = {"night": "day", "24-hour": "day"}
_MOST_WORDS = 3
_AMOUNT = re.compile(
    r"(?P<whole>\d{1,9}|\d{1,3}(?P<mark>[.,])\d{3}(?:(?P=mark)\d{3}){0,2})"
    r"(?:(?!(?P=mark))[.,](?P<part>\d{1,2}))?"
)
"""An amount in digits: "2.5", "1,250", "1.250,80"."""
_CASES = frozenset(("not", "if", "when", "unless", "without", "who", "lost", "damaged", "missing"))
_COSTING = frozenset(("cost", "costs"))


@dataclass(frozen=True)
class StatedPrice:
    """A price that a sentence states.

    Attributes:
        cents: How much.
        unit: For what time or thing, in the singular: "day", "hour", "person"; "" where it does not say.
        tokens: The words that say so.
        before: The words of its sentence in front of it, the nearest first, in the singular.
        behind: Those behind it, in order.
        is_late: Whether it is what days after an end cost.
        is_conditional: Whether it is only due in some case: "£30 for any cask not returned".
    """

    cents: int
    unit: str
    tokens: tuple[SentenceToken, ...]
    before: tuple[str, ...]
    behind: tuple[str, ...]
    is_late: bool
    is_conditional: bool = False


def prices_of(tokens: Sequence[SentenceToken]) -> Iterator[StatedPrice]:
    """The prices that a text states, in order."""
    for place in range(len(tokens)):
        stated = price_at(tokens, place)
        if not stated or not (cents := cents_at(tokens, place)):
            continue
        before = tuple(_words(reversed(tokens[:place])))
        behind = tuple(_words(tokens[place + len(stated) :]))
        unit = _unit(stated, behind)
        near = {*takewhile(_goes_on, before), *takewhile(_goes_on, behind)}
        case = not _CASES.isdisjoint(takewhile(lambda word: word != ",", behind))
        yield StatedPrice(cents, unit, stated, before, behind, not LATE.isdisjoint(near), case)


def price_at(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """ "£2.80 per metre per night", "35p a litre", "a fee of 100 euros"; () where no price stands."""
    behind = [singular(token.word) for token in tokens[place + 1 : place + 2]]
    worded = tokens[place].is_number and bool(behind) and behind[0] in _CURRENCIES
    if not (tokens[place].is_price or worded):
        return ()
    end = place + 1 + worded
    while end + 1 < len(tokens) and tokens[end].word in RATES and tokens[end + 1].is_content:
        end += 2
    noun = end
    while noun < len(tokens) and noun - end < _MOST_WORDS and tokens[noun].is_content and end == place + 1:
        noun += 1  # "a £5 fee"
    return tuple(tokens[place:noun])


def says_what_costs(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether "cost" stands somewhere with a price behind it: "late returns cost 50p a day"."""
    behind = range(place + 1, min(place + 3, len(tokens)))
    return tokens[place].word in _COSTING and any(price_at(tokens, at) for at in behind)


def _words(tokens: Iterator[SentenceToken] | Sequence[SentenceToken]) -> Iterator[str]:
    """The words of a sentence up to its end, in the singular, with the commas."""
    for token in tokens:
        if token.text in _ENDS:
            return
        yield singular(token.word) if token.is_word else token.text


def _goes_on(word: str) -> bool:
    return word not in _JOINING


def _unit(stated: Sequence[SentenceToken], behind: Sequence[str]) -> str:
    """For what a price is: of "£2.80 per metre per night" and other prices by two units none is known."""
    rates = [at for at, token in enumerate(stated) if token.word in RATES]
    if len(rates) > 1:
        return "several"
    words = [singular(token.word) for token in stated[rates[0] + 1 :]] if rates else []
    if not rates and behind[1:3] and behind[0] in ("for", "on") and behind[1] in RATES:
        words = [behind[2]]  # "£1 for each day"
    unit = words[-1] if words else ""
    return _DAYS.get(unit, unit)


def cents_at(tokens: Sequence[SentenceToken], place: int) -> int:
    """The amount of money that a number somewhere means, in cents; 0 where none stands that can be read."""
    token, behind = tokens[place], tokens[place + 1 : place + 2]
    small = token.text.endswith("p") if token.is_price else behind and singular(behind[0].word) in _SMALL
    written = _AMOUNT.fullmatch(token.text.strip("£€$p"))
    if written is None:
        amount = 0 if token.is_price else 100 * number_at(tokens, place)
    else:
        amount = 100 * int(re.sub(r"\D", "", written["whole"])) + int((written["part"] or "").ljust(2, "0"))
    return amount // 100 if small else amount
