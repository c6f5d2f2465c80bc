"""Changes: the row-level difference between two states, as verifiers see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from synthesis.worlds.worker.state import Change


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """One row that was inserted, updated or deleted."""

    table: str
    key: Any
    """A scalar, or a tuple for a composite key."""
    kind: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TouchedRow:
    """One row that some call wrote, whatever is left of it."""

    table: str
    key: Any
    put_back: bool
    """Whether it is in the end as it was at the start."""


def changed_row(change: Change) -> ChangedRow:
    """A row that differs, as verifiers see it."""
    return ChangedRow(
        table=change["table"],
        key=tuple(change["key"]) if isinstance(change["key"], list) else change["key"],
        kind=change["kind"],
        before=change["before"],
        after=change["after"],
        columns=tuple(change["columns"]),
    )


class Changes:
    """All rows that differ; iterable, and false when nothing changed.

    Args:
        changes: What differs between the two states.
        touched: Table and key of the rows that calls wrote, also where a later one put them back.
    """

    def __init__(
        self, changes: Iterable[Change | ChangedRow], touched: Iterable[tuple[str, Any]] = ()
    ) -> None:
        rows = [one if isinstance(one, ChangedRow) else changed_row(one) for one in changes]
        self._rows = rows
        self.inserted = [row for row in rows if row.kind == "inserted"]
        self.updated = [row for row in rows if row.kind == "updated"]
        self.deleted = [row for row in rows if row.kind == "deleted"]
        self._written = [(table, tuple(key) if isinstance(key, list) else key) for table, key in touched]
        self._allowed: set[tuple[Any, ...]] = set()

    @cached_property
    def touched(self) -> list[TouchedRow]:
        """Every row that some call wrote or that differs."""
        differing = dict.fromkeys((row.table, row.key) for row in self._rows)
        places = dict.fromkeys([*differing, *self._written])
        return [TouchedRow(*place, put_back=place not in differing) for place in places]

    def __iter__(self) -> Iterator[ChangedRow]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def only(self, *places: Any) -> bool:
        """Whether every changed row is at one of the places: (table, key), or (table,) for all its rows."""
        for place in places:
            if not isinstance(place, tuple) or len(place) not in (1, 2):
                raise TypeError(f"changes.only takes (table, key) or (table,), not {place!r:.80}")
        self._allowed.update(places)
        return all(any(_at(row, place) for place in places) for row in self._rows)

    def put_back_elsewhere(self) -> list[TouchedRow]:
        """Rows written and put back where no guard allows a change."""
        return [
            row
            for row in self.touched
            if row.put_back and not any(_at(row, place) for place in self._allowed)
        ]


def _at(row: ChangedRow | TouchedRow, place: tuple[Any, ...]) -> bool:
    return row.table == place[0] and (len(place) == 1 or row.key == place[1])
