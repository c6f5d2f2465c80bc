"""Schema: the tables of a world, as ordered DDL and as what that DDL declares."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pydantic import Field

from synthesis.documents.document import Document, Identifier


class Column(Document):
    """One column as the database reports it."""

    name: Identifier
    type: str = ""
    """Declared type, as written."""
    not_null: bool = False
    default: str | None = None
    """Default as an SQL expression, if there is one."""
    primary_key: int = Field(default=0, ge=0)
    """Position in the primary key from 1, or 0."""
    generated: bool = False


class ForeignKey(Document):
    """Columns of one table that name a row of another."""

    columns: tuple[Identifier, ...]
    table: Identifier
    """Table that is referred to."""
    references: tuple[Identifier, ...]
    """Columns that are referred to."""
    on_delete: str = "NO ACTION"


class Table(Document):
    """One table: its columns, keys and the statement that makes it."""

    name: Identifier
    columns: tuple[Column, ...]
    foreign_keys: tuple[ForeignKey, ...] = ()
    sql: str

    @cached_property
    def primary_key(self) -> tuple[str, ...]:
        """Names of the primary key's columns in key order; empty when the table declares none."""
        keyed = sorted((column for column in self.columns if column.primary_key), key=lambda c: c.primary_key)
        return tuple(column.name for column in keyed)

    @property
    def stored_columns(self) -> tuple[str, ...]:
        """Names of the columns that hold values of their own, in table order."""
        return tuple(column.name for column in self.columns if not column.generated)


class Schema(Document):
    """The DDL of a world; `synthesis.worlds.database.read_schema` makes it and fills `tables` from `sql`."""

    sql: str = Field(min_length=1)
    """The whole of schema.sql: CREATE TABLE and CREATE INDEX statements in order, comments kept."""
    tables: tuple[Table, ...] = ()
    """What the DDL declares, in CREATE order; derived, so not part of the fingerprint."""

    def content(self) -> Any:
        """The DDL text alone: the tables follow from it."""
        return self.sql

    def table(self, name: str) -> Table | None:
        """The table of that name, or None."""
        return next((table for table in self.tables if table.name == name), None)
