"""Days: the ways in which the people of a world write a day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime

from synthesis.procedural.composing.wording import MONTHS, spoken_day, written_day


def short_day(value: str) -> str:
    """A day as in lists: "14 May 1984" with the month cut to three letters."""
    day = date.fromisoformat(value[:10])
    return f"{day.day} {MONTHS[day.month - 1][:3]} {day.year}"


def month_first(value: str) -> str:
    """A day with the month before it: "May 14, 1984"."""
    day = date.fromisoformat(value[:10])
    return f"{MONTHS[day.month - 1]} {day.day}, {day.year}"


DAYS: tuple[Callable[[str, datetime], str], ...] = (
    spoken_day,
    lambda value, _: written_day(value),
    lambda value, _: value,
    lambda value, _: short_day(value),
    lambda value, _: month_first(value),
    lambda value, _: f"{value[8:10]}.{value[5:7]}.{value[:4]}",
)
"""Ways to write a day, given as YYYY-MM-DD, in a world with some clock."""
