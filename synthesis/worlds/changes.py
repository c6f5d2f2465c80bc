"""Changes: the row-level difference between two states, as verifiers see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from synthesis.worlds.state import Change


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


class Changes:
    """All rows that differ; iterable, and false when nothing changed."""

    def __init__(self, changes: Iterable[Change]) -> None:
        rows = [
            ChangedRow(
                table=change["table"],
                key=tuple(change["key"]) if isinstance(change["key"], list) else change["key"],
                kind=change["kind"],
                before=change["before"],
                after=change["after"],
                columns=tuple(change["columns"]),
            )
            for change in changes
        ]
        self._rows = rows
        self.inserted = [row for row in rows if row.kind == "inserted"]
        self.updated = [row for row in rows if row.kind == "updated"]
        self.deleted = [row for row in rows if row.kind == "deleted"]

    def __iter__(self) -> Iterator[ChangedRow]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def only(self, *places: Any) -> bool:
        """Whether every changed row is at one of the places: (table, key), or (table,) for all its rows."""
        for place in places:
            if not isinstance(place, tuple) or len(place) not in (1, 2):
                raise TypeError(f"changes.only takes (table, key) or (table,), not {place!r:.80}")
        return all(any(_at(row, place) for place in places) for row in self._rows)


def _at(row: ChangedRow, place: tuple[Any, ...]) -> bool:
    return row.table == place[0] and (len(place) == 1 or row.key == place[1])
