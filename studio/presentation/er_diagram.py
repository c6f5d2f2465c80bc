"""Entity-relationship diagrams: a box per table with its keys first, an arrow per foreign key."""

from __future__ import annotations

from typing import Protocol

from studio.presentation.box_diagram import Card, Diagram, Link, cut, drawn
from synthesis.documents.schema import Schema, Table

MOST_COLUMNS = 8


class TableNamer(Protocol):
    """Whoever knows what tables and their columns are called."""

    def table(self, name: str) -> str:
        """What a table is called."""

    def column(self, table: str, name: str) -> str:
        """What a column of a table is called."""


def diagram_of(schema: Schema, words: TableNamer | None = None) -> Diagram | None:
    """The schema's diagram, or None where it has more tables than a picture shows.

    Args:
        schema: Its tables and keys.
        words: Whose titles the picture says; the names in the code where there are none.
    """
    numbers = {table.name: number for number, table in enumerate(schema.tables)}
    titles = {name: words.table(name) if words else name for name in numbers}
    keys = [(table, key) for table in schema.tables for key in table.foreign_keys if key.table in numbers]
    return drawn(
        tuple(Card(titles[table.name], tuple(_columns(table, words))) for table in schema.tables),
        tuple(
            Link(
                numbers[table.name],
                numbers[key.table],
                f"{titles[table.name]} refers to {titles[key.table]}"
                f" by {', '.join(_column(table, name, words) for name in key.columns)}",
            )
            for table, key in keys
        ),
    )


def _columns(table: Table, words: TableNamer | None) -> list[tuple[str, str]]:
    """Keys first, then as many others as fit, each with its kind.

    The table's own key says nothing to who reads titles: it is left out there.
    """
    foreign = {column for key in table.foreign_keys for column in key.columns}
    keys = [c.name for c in table.columns if c.name in foreign or (c.primary_key and not words)]
    others = [c.name for c in table.columns if not c.primary_key and c.name not in foreign]
    room = max(MOST_COLUMNS - len(keys), 2)
    left = len(others) - room
    shown = [(cut(_column(table, name, words)), "key") for name in keys]
    shown += [(cut(_column(table, name, words)), "column") for name in others[: None if left <= 1 else room]]
    return [*shown, (f"… {left} more", "column")] if left > 1 else shown


def _column(table: Table, name: str, words: TableNamer | None) -> str:
    return words.column(table.name, name) if words else name
