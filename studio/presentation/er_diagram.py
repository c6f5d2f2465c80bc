"""Entity-relationship diagrams: a box per table with its keys first, an arrow per foreign key."""

from __future__ import annotations

from studio.presentation.box_diagram import Card, Diagram, Link, cut, drawn
from synthesis.documents.schema import Schema, Table

MOST_COLUMNS = 8


def diagram_of(schema: Schema) -> Diagram | None:
    """The schema's diagram, or None where `dot` is missing or gives up."""
    numbers = {table.name: number for number, table in enumerate(schema.tables)}
    keys = [(table, key) for table in schema.tables for key in table.foreign_keys if key.table in numbers]
    return drawn(
        tuple(Card(table.name, tuple(_columns(table))) for table in schema.tables),
        tuple(
            Link(numbers[table.name], numbers[key.table], f"{table.name} refers to {key.table}")
            for table, key in keys
        ),
    )


def _columns(table: Table) -> list[tuple[str, str]]:
    """Keys first, then as many others as fit, each with its kind."""
    foreign = {column for key in table.foreign_keys for column in key.columns}
    keys = [(cut(c.name), "key") for c in table.columns if c.primary_key or c.name in foreign]
    others = [(cut(c.name), "column") for c in table.columns if not c.primary_key and c.name not in foreign]
    room = max(MOST_COLUMNS - len(keys), 2)
    left = len(others) - room
    shown = keys + (others if left <= 1 else others[:room])
    return [*shown, (f"… {left} more", "column")] if left > 1 else shown
