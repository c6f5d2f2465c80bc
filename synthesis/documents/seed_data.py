"""SeedData: the rows a world starts with, as values and never as INSERT statements."""

from __future__ import annotations

from pydantic import StrictFloat, StrictInt, StrictStr

from synthesis.documents.document import Document, Identifier

Scalar = StrictInt | StrictFloat | StrictStr | None
"""One cell: NULL, INTEGER, REAL or TEXT. Blobs are not seed data."""

Row = dict[Identifier, Scalar]
"""One row by column name; a column left out takes its default."""


class Actor(Document):
    """The row that stands for the user the agent acts for."""

    table: Identifier
    key: StrictInt | StrictStr


class SeedData(Document):
    """Rows per table in the order they are loaded, and who the agent acts for."""

    rows: dict[Identifier, tuple[Row, ...]]
    actor: Actor | None = None

    @property
    def count(self) -> int:
        """Number of rows in all tables."""
        return sum(len(rows) for rows in self.rows.values())
