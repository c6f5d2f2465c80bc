"""Other values: plausible wrong values for a cell, most tempting first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache

from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Scalar
from synthesis.verification.reference_run import Rows

_IN_LIST = r"""["'`\[]?\b{column}\b["'`\]]?\s+IN\s*\(([^)]*)\)"""
_NEAR = 2
"""Values of other rows on each side of the right one."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


def other_values(table: Table, column: str, value: Scalar, rows: Rows) -> Iterator[Scalar]:
    """Values that could stand in a cell instead of `value`, each once.

    For a reference to another table the nearest keys of that table, and keys beyond them that a schema with
    foreign keys does not allow; for an enumeration (CHECK (x IN (...))) its other members; a step up or down,
    twice as much, the other sign; days around a day, another time of the same day; what the same column holds
    in other rows; a longer, a shorter text, one in another case; nothing.
    """
    seen: set[Scalar] = {value}
    for other in _candidates(table, column, value, rows):
        if other not in seen:
            seen.add(other)
            yield other


def allowed_values(table: Table, column: str) -> tuple[str | int, ...]:
    """Members of a column's CHECK (column IN (...)), texts and whole numbers; empty where there is none."""
    return _members(table.sql, column)


@lru_cache(maxsize=4_096)
def _members(sql: str, column: str) -> tuple[str | int, ...]:
    match = re.search(_IN_LIST.format(column=re.escape(column)), sql, re.IGNORECASE)
    if match is None:
        return ()
    results = re.findall(r"'((?:[^']|'')*)'|(-?\d+)", match[1])
    return tuple(text.replace("''", "'") if not number else int(number) for text, number in results)


def parent_keys(table: Table, column: str, rows: Rows) -> list[Scalar]:
    """Keys of the table that a column refers to; empty where it refers to none."""
    for key in table.foreign_keys:
        if key.columns == (column,):
            return [row.get(key.references[0]) for row in rows.get(key.table, [])]
    return []


def invented_rows(table: Table, rows: Rows) -> Iterator[dict[str, Scalar]]:
    """Rows for a table that has none: what must be given, as short as it can be; days last.

    Empty where a reference that must be given has no row to name.
    """
    for text in ("x", "2026-01-01", "2026-01-01T09:00:00"):
        row: dict[str, Scalar] = {}
        for column in table.columns:
            number = column.type.upper().startswith("INT")
            keyed = column.primary_key and number and len(table.primary_key) == 1
            optional = not column.not_null and not column.primary_key
            if column.generated or keyed or optional or column.default is not None:
                continue
            allowed: tuple[Scalar, ...] = allowed_values(table, column.name)
            if refers(table, column.name):
                allowed = tuple(key for key in parent_keys(table, column.name, rows) if key is not None)[:1]
                if not allowed:
                    return
            row[column.name] = next(iter(allowed), 1 if number or "REAL" in column.type.upper() else text)
        yield row


def refers(table: Table, column: str) -> bool:
    """Whether a column is (part of) a foreign key."""
    return any(column in key.columns for key in table.foreign_keys)


def _candidates(table: Table, column: str, value: Scalar, rows: Rows) -> Iterator[Scalar]:
    if refers(table, column):
        keys = parent_keys(table, column, rows)
        yield from _spread(_nearest(value, keys), value)
        numbers = [key for key in keys if isinstance(key, int)]
        yield from (min(numbers) - 1, max(numbers) + 1) if numbers else ()
        yield None
        return
    members = allowed_values(table, column)
    yield from members
    if isinstance(value, int | float):
        step = 1 if isinstance(value, int) else 0.01
        yield from (value + step, value - step, value * 2, -value)
    yield from _stepped(value)
    neighbours = [row.get(column) for row in rows.get(table.name, [])]
    yield from _spread([other for other in neighbours if type(other) is type(value)], value)
    if isinstance(value, str):
        longer = f"{value}0" if value[-1:].isdigit() else f"{value} x"
        yield from (longer, value.swapcase(), value[: len(value) // 2])
    if value is None:
        yield from (*_FOR_NONE.get(_declared(table, column), ()), *_present(neighbours))
    yield from ("", None) if isinstance(value, str) else (None,)


_FOR_NONE: dict[str, tuple[Scalar, ...]] = {"INTEGER": (1,), "REAL": (1.0,), "TEXT": ("x",)}
"""By declared type, what could stand in a cell that is to be empty."""


def _declared(table: Table, column: str) -> str:
    return next((each.type.upper() for each in table.columns if each.name == column), "")


def _present(neighbours: Sequence[Scalar | None]) -> Sequence[Scalar | None]:
    return list(dict.fromkeys(value for value in neighbours if value is not None))[:2]


def _spread(values: Sequence[Scalar], right: Scalar) -> list[Scalar]:
    """Of many values the nearest below and above, so that every order is tried, and some of the others."""
    different = list(dict.fromkeys(value for value in values if value != right))
    if isinstance(right, int | float):
        numbers = sorted(value for value in different if isinstance(value, int | float))
        lower = [value for value in numbers if value < right][-_NEAR:]
        higher = [value for value in numbers if value > right][:_NEAR]
        return [*reversed(lower), *higher]
    if isinstance(right, str):
        texts = sorted(value for value in different if isinstance(value, str))
        lower_texts = [value for value in texts if value < right][-_NEAR:]
        higher_texts = [value for value in texts if value > right][:_NEAR]
        nearest: list[Scalar] = [*reversed(lower_texts), *higher_texts]
        return nearest
    return different[: 2 * _NEAR]


def _nearest(value: Scalar, keys: Sequence[Scalar]) -> list[Scalar]:
    """Keys next to the right one first: the row above or below is the likeliest mistake."""
    if isinstance(value, int):
        numbers = [key for key in keys if isinstance(key, int)]
        right = value
        near: list[int] = sorted(numbers, key=lambda key: (abs(key - right), key))
        return [*near]
    return list(keys)


def _stepped(value: Scalar) -> Iterator[Scalar]:
    """Of a day or a moment the days around it, the same day at another time, and the same time a year on."""
    if not isinstance(value, str):
        return
    try:
        if _DAY.fullmatch(value):
            day = date.fromisoformat(value)
            for days in (1, -1, 365):
                yield (day + timedelta(days=days)).isoformat()
        elif _MOMENT.match(value):
            moment = datetime.fromisoformat(value)
            separator = value[10]
            for step in (
                timedelta(minutes=30),
                timedelta(minutes=-30),
                timedelta(days=1),
                timedelta(days=-1),
            ):
                yield (moment + step).isoformat(separator)
            yield moment.replace(hour=0 if moment.hour else 12).isoformat(separator)
            yield value[:10]
    except (ValueError, OverflowError):
        return
