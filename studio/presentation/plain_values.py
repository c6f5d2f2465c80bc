"""One value as people read it: money, amounts, dates, times and states by their entry of the dictionary."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

from synthesis.documents.dictionary import ColumnEntry

LONGEST = 200
"""Characters of one value."""


def formatted(entry: ColumnEntry, value: Any) -> str:
    """A value by its format, unit and states."""
    if value is None:
        return "none"
    if str(value) in entry.values:
        return entry.values[str(value)]
    text = _written(entry, value)
    return f"{text} {entry.unit}"[:LONGEST] if entry.unit else text[:LONGEST]


def entry_of(name: str, value: Any) -> ColumnEntry:
    """How an argument is read that no column of the world explains."""
    if name.endswith("_cents"):
        return ColumnEntry(format="money_cents")
    if isinstance(value, bool):
        return ColumnEntry(format="yes_no")
    if isinstance(value, str) and len(value) in (16, 19) and value[10:11] == "T":
        return ColumnEntry(format="moment")
    if isinstance(value, str) and len(value) == 10 and value[4:5] == "-":
        return ColumnEntry(format="date")
    return ColumnEntry(format="number" if isinstance(value, int | float) else "text")


def is_bare(entry: ColumnEntry, value: Any) -> bool:
    """Whether a value alone does not say what it is of: "yes", 12 and "Open" do not, a day or a name does."""
    if not isinstance(value, str):
        return True
    if value in entry.values:
        return True
    return entry.format not in ("moment", "date", "time") and " " not in value.strip()


def _written(entry: ColumnEntry, value: Any) -> str:
    """A value by its format; as it is stored where it does not fit."""
    kind = entry.format
    try:
        if kind == "money_cents" and isinstance(value, int):
            return f"{value / 100:,.2f}"
        if kind == "money" and isinstance(value, int | float):
            return f"{value:,.2f}"
        if kind == "number" and isinstance(value, int | float):
            return f"{value:,}"
        if kind == "yes_no":
            return "yes" if value in (1, True, "1", "yes", "true") else "no"
        if isinstance(value, str):
            return _moment_words(kind or "text", value)
    except ValueError:
        pass
    return str(value)


def _moment_words(kind: str, value: str) -> str:
    if kind == "moment":
        moment = datetime.fromisoformat(value)
        return f"{moment:%a} {moment.day} {moment:%B %Y, %H:%M}"
    if kind == "date":
        day = date.fromisoformat(value)
        return f"{day:%a} {day.day} {day:%B %Y}"
    if kind == "time":
        return f"{time.fromisoformat(value):%H:%M}"
    return value
