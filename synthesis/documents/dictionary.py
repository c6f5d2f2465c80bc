"""Dictionary: what the tables, columns, values, tools and tasks of an environment are called among people."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from synthesis.documents.document import Document, Identifier, Slug

ColumnFormat = Literal["text", "number", "money", "money_cents", "date", "moment", "time", "yes_no"]
"""How a stored value is read: 6000 as 60.00 ("money_cents"), "2026-07-04T16:00:00" as a moment."""

Title = str


class ColumnEntry(Document):
    """One column in the words of the trade; what is empty or None is left to what is derived."""

    title: Title = Field(default="", max_length=120)
    format: ColumnFormat | None = None
    unit: str = Field(default="", max_length=40)
    """What is counted, paid or measured: "minutes", "EUR"."""
    values: dict[str, Title] = Field(default_factory=dict)
    """Stored value to what people call it, for states and kinds: {"no_show": "Did not come"}."""


class TableEntry(Document):
    """One table in the words of the trade; what is empty is left to what is derived."""

    title: Title = Field(default="", max_length=120)
    """Of many rows: "Appointments"."""
    singular: Title = Field(default="", max_length=120)
    """Of one row: "Appointment"."""
    names_row: tuple[Identifier, ...] = ()
    """Columns that together name a row, for example first_name and last_name."""
    columns: dict[Identifier, ColumnEntry] = Field(default_factory=dict)


class Dictionary(Document):
    """The words of one environment; it is no part of the design and changes no fingerprint of it."""

    tables: dict[Identifier, TableEntry] = Field(default_factory=dict)
    tools: dict[Identifier, Title] = Field(default_factory=dict)
    tasks: dict[Slug, Title] = Field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether it says nothing."""
        return not (self.tables or self.tools or self.tasks)

    def overlaid(self, other: Dictionary) -> Dictionary:
        """This dictionary with everything that another one says in its place."""
        tables = dict(self.tables)
        for name, entry in other.tables.items():
            tables[name] = _overlaid_table(tables.get(name, TableEntry()), entry)
        return Dictionary(
            tables=tables, tools={**self.tools, **other.tools}, tasks={**self.tasks, **other.tasks}
        )


def _overlaid_table(one: TableEntry, other: TableEntry) -> TableEntry:
    columns = dict(one.columns)
    for name, entry in other.columns.items():
        columns[name] = _overlaid_column(columns.get(name, ColumnEntry()), entry)
    return TableEntry(
        title=other.title or one.title,
        singular=other.singular or one.singular,
        names_row=other.names_row or one.names_row,
        columns=columns,
    )


def _overlaid_column(one: ColumnEntry, other: ColumnEntry) -> ColumnEntry:
    return ColumnEntry(
        title=other.title or one.title,
        format=other.format or one.format,
        unit=other.unit or one.unit,
        values={**one.values, **other.values},
    )
