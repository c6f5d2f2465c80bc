"""Other values: plausible wrong values for a cell, most tempting first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta

from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Scalar
from synthesis.verification.reference_run import Rows

_IN_LIST = r"""["'`\[]?\b{column}\b["'`\]]?\s+IN\s*\(([^)]*)\)"""
_MOST_NEIGHBOURS = 12


def other_values(table: Table, column: str, value: Scalar, rows: Rows) -> Iterator[Scalar]:
    """Values that could stand in a cell instead of `value`, each once.

    For a reference to another table the keys of that table; for an enumeration (CHECK (x IN (...))) its other
    members; then what the same column holds in other rows; then a step up or down, a day later, another text.
    """
    seen: set[Scalar] = {value}
    for other in _candidates(table, column, value, rows):
        if other not in seen:
            seen.add(other)
            yield other


def allowed_values(table: Table, column: str) -> tuple[str | int, ...]:
    """Members of a column's CHECK (column IN (...)), texts and whole numbers; empty where there is none."""
    match = re.search(_IN_LIST.format(column=re.escape(column)), table.sql, re.IGNORECASE)
    if match is None:
        return ()
    found = re.findall(r"'((?:[^']|'')*)'|(-?\d+)", match[1])
    return tuple(text.replace("''", "'") if not number else int(number) for text, number in found)


def parent_keys(table: Table, column: str, rows: Rows) -> list[Scalar]:
    """Keys of the table that a column refers to; empty where it refers to none."""
    for key in table.foreign_keys:
        if key.columns == (column,):
            return [row.get(key.references[0]) for row in rows.get(key.table, [])]
    return []


def refers(table: Table, column: str) -> bool:
    """Whether a column is (part of) a foreign key."""
    return any(column in key.columns for key in table.foreign_keys)


def _candidates(table: Table, column: str, value: Scalar, rows: Rows) -> Iterator[Scalar]:
    if refers(table, column):
        yield from _nearest(value, parent_keys(table, column, rows))
        return
    if members := allowed_values(table, column):
        yield from members
        return
    if isinstance(value, int):
        yield from (value + 1, value - 1)
    yield from _stepped(value)
    neighbours = [row.get(column) for row in rows.get(table.name, [])]
    yield from [other for other in neighbours if type(other) is type(value)][:_MOST_NEIGHBOURS]
    if isinstance(value, str):
        yield f"{value} x"


def _nearest(value: Scalar, keys: Sequence[Scalar]) -> list[Scalar]:
    """Keys next to the right one first: the row above or below is the likeliest mistake."""
    if isinstance(value, int):
        numbers = [key for key in keys if isinstance(key, int)]
        right = value
        near: list[int] = sorted(numbers, key=lambda key: (abs(key - right), key))
        return [*near]
    return list(keys)


def _stepped(value: Scalar) -> Iterator[Scalar]:
    if isinstance(value, float):
        yield value + 1.0
    if not isinstance(value, str):
        return
    try:
        if len(value) == 10:
            yield (date.fromisoformat(value) + timedelta(days=1)).isoformat()
        elif re.match(r"\d{4}-\d\d-\d\dT", value):
            yield (datetime.fromisoformat(value) + timedelta(days=1)).isoformat()
    except ValueError:
        return
