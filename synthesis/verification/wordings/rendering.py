"""Rendering: the usual ways to write a fact's value, and values beside the right one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date, timedelta

from synthesis.documents.tasks import AnswerFact
from synthesis.worlds.comparison import MONTHS, NUMBER_WORDS

_MONTHS = [month.capitalize() for month in MONTHS]
_NUMERALS = list(NUMBER_WORDS)


def forms(fact: AnswerFact) -> list[str]:
    """How people write a fact's value, the plainest form first."""
    return list(dict.fromkeys(_FORMS.get(fact.type, _text)(fact)))


def plain_form(fact: AnswerFact) -> str:
    """The plainest form of a value."""
    return forms(fact)[0]


_WRITTEN = {
    "EUR": ("\u20ac", "EUR", "euros"),
    "USD": ("$", "USD", "dollars"),
    "GBP": ("\u00a3", "GBP", "pounds"),
    "CHF": ("CHF ", "CHF", "francs"),
    "kr": ("kr ", "SEK", "kr"),
}
"""Sign, code and name of each currency."""
_AMOUNT = re.compile(r"EUR (?=\d)|[\u20ac$](?=\d)|(?<=\d) euros\b")


def in_currency(text: str, currency: str) -> str:
    """A wording with its amounts in another currency, by its code; as it is where that is not known."""
    if currency not in _WRITTEN:
        return text
    sign, code, name = _WRITTEN[currency]
    written = {"EUR ": f"{code} ", "\u20ac": sign, "$": sign, " euros": f" {name}"}
    return _AMOUNT.sub(lambda match: written[match[0]], text)


def _text(fact: AnswerFact) -> Iterator[str]:
    value = str(fact.value)
    yield value
    yield f"**{value}**"
    yield f'"{value}"'
    if fact.type == "text" and value.islower() and value.replace(" ", "").isalpha():
        yield value.replace(" ", "_")
        yield value.capitalize()
        yield f"`{value.replace(' ', '_')}`"
    if "cancelled" in value:
        yield value.replace("cancelled", "canceled")
    if fact.type == "name":
        yield value.upper()


def _money(fact: AnswerFact) -> Iterator[str]:
    cents = int(fact.value)
    yield f"{cents / 100:,.2f}"
    yield f"{cents / 100:.2f}"
    yield f"EUR {cents / 100:,.2f}"
    yield f"\u20ac{cents / 100:,.2f}"
    yield f"{cents / 100:.2f} euros"
    yield f"**{cents / 100:,.2f}**"
    if cents % 100 == 0:
        yield f"${cents // 100}"
    if cents % 100 and cents % 10 == 0:
        yield f"{cents / 100:.1f}"


def _number(fact: AnswerFact) -> Iterator[str]:
    value = fact.value
    yield f"{value:,}" if isinstance(value, int) else f"{value:g}"
    yield f"**{value:g}**" if isinstance(value, float) else f"**{value}**"
    if isinstance(value, int) and 0 <= value <= 20:
        yield _NUMERALS[value]


def _date(fact: AnswerFact) -> Iterator[str]:
    day = date.fromisoformat(str(fact.value))
    month = _MONTHS[day.month - 1]
    yield f"{day.day} {month} {day.year}"
    yield day.isoformat()
    yield f"{month} {day.day}, {day.year}"
    yield f"{day.day:02d}.{day.month:02d}.{day.year}"
    yield f"{day.day} {month[:3]} {day.year}"
    yield f"**{day.isoformat()}**"
    yield f"{day:%A}, {month} {day.day}, {day.year}"
    if day.day > 12:
        yield f"{day.day}/{day.month}/{day.year}"
        yield f"{day.month}/{day.day}/{day.year}"


def _time(fact: AnswerFact) -> Iterator[str]:
    hour, minute = int(str(fact.value)[:2]), str(fact.value)[3:5]
    yield f"{hour:02d}:{minute}"
    yield f"{(hour - 1) % 12 + 1}:{minute} {'am' if hour < 12 else 'pm'}"
    yield f"{hour}:{minute}"
    yield f"{(hour - 1) % 12 + 1}:{minute}{'AM' if hour < 12 else 'PM'}"


_FORMS = {"money_cents": _money, "number": _number, "date": _date, "time": _time}


def near(fact: AnswerFact, others: Collection[str], taken: Collection[object] = ()) -> AnswerFact | None:
    """The fact with a value beside the right one that is right for nothing; None where there is none."""
    for value in _beside(fact, others):
        if value not in taken and value != fact.value:
            return fact.replace(value=value)
    return None


def _beside(fact: AnswerFact, others: Collection[str]) -> Iterator[bool | int | float | str]:
    value = fact.value
    for step in (1, 2, 3, 5, 7):
        if fact.type == "money_cents":
            yield int(value) + 100 * step
        elif fact.type == "number" and isinstance(value, int | float):
            yield value + step
        elif fact.type == "date":
            yield (date.fromisoformat(str(value)) + timedelta(days=step)).isoformat()
        elif fact.type == "time":
            yield f"{(int(str(value)[:2]) + step) % 24:02d}:{str(value)[3:5]}"
    if fact.type in ("name", "text"):
        mine = str(value).casefold().replace("_", " ")
        for other in sorted(others):
            theirs = other.casefold().replace("_", " ")
            if mine not in theirs and theirs not in mine:
                yield other.replace("_", " ") if other.islower() else other
        yield "Alder Fennimore" if fact.type == "name" else "Bramble"
