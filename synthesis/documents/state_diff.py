"""StateDiff: which rows differ between two states of a world."""

from __future__ import annotations

from typing import Literal

from synthesis.documents.document import Document, Identifier
from synthesis.documents.seed_data import Scalar

Key = Scalar | tuple[Scalar, ...]
"""A row's primary key: a scalar, or a tuple in key order for composite keys."""


class RowChange(Document):
    """One row that was inserted, updated or deleted."""

    table: Identifier
    key: Key
    kind: Literal["inserted", "updated", "deleted"]
    before: dict[str, Scalar] | None = None
    """The whole row before; None for an inserted one."""
    after: dict[str, Scalar] | None = None
    """The whole row after; None for a deleted one."""
    columns: tuple[Identifier, ...] = ()
    """Columns whose value differs, in table order; all of them for an inserted or deleted row."""


class StateDiff(Document):
    """Row-level differences, ordered by table (CREATE order) and key."""

    changes: tuple[RowChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    @property
    def inserted(self) -> tuple[RowChange, ...]:
        """Rows that are new."""
        return tuple(change for change in self.changes if change.kind == "inserted")

    @property
    def updated(self) -> tuple[RowChange, ...]:
        """Rows with another value in some column."""
        return tuple(change for change in self.changes if change.kind == "updated")

    @property
    def deleted(self) -> tuple[RowChange, ...]:
        """Rows that are gone."""
        return tuple(change for change in self.changes if change.kind == "deleted")
