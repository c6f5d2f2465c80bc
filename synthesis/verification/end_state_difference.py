"""End states that are known by their changes: how two of them differ, and what several changes come to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import Scalar
from synthesis.documents.state_diff import Key, RowChange, StateDiff


def between(right: StateDiff, other: StateDiff) -> StateDiff:
    """The rows in which another end differs from the right one, where both are known by their changes."""
    rights = {(change.table, change.key): change for change in right.changes}
    others = {(change.table, change.key): change for change in other.changes}
    row_changes = []
    for place in dict.fromkeys((*rights, *others)):
        one, two = rights.get(place), others.get(place)
        known = one or two
        if known is None:
            continue
        was = one.after if one else known.before
        now = two.after if two else known.before
        if was != now:
            row_changes.append(_changed(known, was, now))
    return StateDiff(changes=tuple(row_changes))


def followed_by(first: StateDiff, later: Iterable[StateDiff], schema: Schema) -> StateDiff:
    """All rows that differ after several changes in a row, by table in CREATE order, then by key."""
    tables = {table.name: number for number, table in enumerate(schema.tables)}
    present = {(change.table, change.key): change for change in first.changes}
    for change in chain.from_iterable(diff.changes for diff in later):
        place = change.table, change.key
        known = present.pop(place, None)
        before, after = known.before if known else change.before, change.after
        if before is not None or after is not None:
            result = _changed(change, before, after)
            if result.columns:
                present[place] = result
    ordered = sorted(present.values(), key=lambda one: (tables[one.table], _sort_key(one.key)))
    return StateDiff(changes=tuple(ordered))


def _sort_key(key: Key) -> tuple[tuple[int, Any], ...]:
    """The order of keys of any type: NULL, numbers, texts."""
    parts = key if isinstance(key, tuple) else (key,)
    return tuple((0, 0) if part is None else (2 if isinstance(part, str) else 1, part) for part in parts)


def _changed(place: RowChange, was: dict[str, Scalar] | None, now: dict[str, Scalar] | None) -> RowChange:
    columns = tuple(was or now or ())
    if was is not None and now is not None:
        columns = tuple(
            column
            for column in columns
            if was.get(column) != now.get(column) or type(was.get(column)) is not type(now.get(column))
        )
    return RowChange(
        table=place.table,
        key=place.key,
        kind="inserted" if was is None else "deleted" if now is None else "updated",
        before=was,
        after=now,
        columns=columns,
    )
