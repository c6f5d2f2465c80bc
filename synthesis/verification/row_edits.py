"""Row edits: changes to a state that no tool made, applied in a sealed process with foreign keys on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType, TracebackType
from typing import Any, Literal, NamedTuple, Self

from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Scalar
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import World


class RowEdit(NamedTuple):
    """One row to insert, update or delete."""

    kind: Literal["insert", "update", "delete"]
    table: str
    key: Mapping[str, Scalar] = MappingProxyType({})
    """Columns that name the row; empty for an insert."""
    values: Mapping[str, Scalar] = MappingProxyType({})
    """New values; empty for a delete."""

    def plain(self) -> dict[str, Any]:
        """As plain values."""
        return {"kind": self.kind, "table": self.table, "key": dict(self.key), "values": dict(self.values)}


class Edited(NamedTuple):
    """A state that was made by edits."""

    state: Snapshot
    changes: StateDiff
    """Rows that differ from the state that was edited."""


class RowEditor:
    """Makes states that differ from a given one by row edits, foreign keys and all constraints on.

    Args:
        world: Whose schema and rows; it stays open.
    """

    def __init__(self, world: World) -> None:
        self._state_editor = world.state_editor()

    def edited(self, snapshot: Snapshot, edits: tuple[RowEdit, ...]) -> Snapshot | None:
        """The state after the edits, or None when the schema does not allow them or they change nothing."""
        snapshots = self.make(snapshot, (edits,))
        return snapshots.state if snapshots else None

    def make(
        self, snapshot: Snapshot, variants: Iterable[tuple[RowEdit, ...]], *, unlike: str = ""
    ) -> Edited | None:
        """The state after the first variant that the schema allows, with what it changed.

        Args:
            snapshot: The state to edit.
            variants: Edits to try, in order.
            unlike: Hash of a state that it must not be.

        Returns:
            None when no variant is possible.
        """
        plain = [[edit.plain() for edit in edits] for edits in variants]
        snapshots = self._state_editor.first_possible(snapshot, plain, unlike=unlike)
        return Edited(*snapshots) if snapshots else None

    def close(self) -> None:
        """End its process."""
        self._state_editor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def undoing(change: RowChange, table: Table) -> RowEdit:
    """The edit that takes back one change."""
    if change.kind == "inserted":
        return RowEdit(kind="delete", table=change.table, key=key_of(table, change.after or {}))
    before = change.before or {}
    if change.kind == "deleted":
        return RowEdit(kind="insert", table=change.table, values=stored(table, before))
    values = {column: before[column] for column in change.columns if column in before}
    return RowEdit(kind="update", table=change.table, key=key_of(table, change.after or {}), values=values)


def key_of(table: Table, row: dict[str, Scalar]) -> dict[str, Scalar]:
    """The columns that name a row: its primary key, or all of them where the table has none."""
    columns = table.primary_key or tuple(row)
    return {column: row.get(column) for column in columns}


def stored(table: Table, row: dict[str, Scalar]) -> dict[str, Scalar]:
    """A row without its generated columns."""
    generated = {column.name for column in table.columns if column.generated}
    return {column: value for column, value in row.items() if column not in generated}
