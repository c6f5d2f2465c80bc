"""Foreign: a data model as its own system declares it, before it is converted; what every reader fills."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

Expression: TypeAlias = exp.Expr
Cell: TypeAlias = int | float | str | bool | None


@dataclass(slots=True)
class ForeignColumn:
    """One column; its type and expressions are sqlglot trees of the source's dialect."""

    name: str
    type: exp.DataType
    nullable: bool = True
    default: Expression | None = None
    computed: Expression | None = None
    identity: bool = False
    values: tuple[str, ...] = ()
    """The values of an enumeration."""
    comment: str = ""


@dataclass(slots=True)
class ForeignReference:
    """A foreign key; no `references` means the primary key of the table that is referred to."""

    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...] = ()
    on_delete: str = "NO ACTION"
    on_update: str = "NO ACTION"


@dataclass(slots=True)
class ForeignIndex:
    """An index over plain columns; `where` makes it a partial one."""

    columns: tuple[str, ...]
    unique: bool = False
    where: Expression | None = None


@dataclass(slots=True)
class ForeignTable:
    """One table."""

    name: str
    columns: dict[str, ForeignColumn] = field(default_factory=dict)
    primary_key: tuple[str, ...] = ()
    uniques: list[tuple[str, ...]] = field(default_factory=list)
    references: list[ForeignReference] = field(default_factory=list)
    checks: list[Expression] = field(default_factory=list)
    indexes: list[ForeignIndex] = field(default_factory=list)
    comment: str = ""
    rows: list[dict[str, Cell]] = field(default_factory=list)

    def column(self, name: str) -> ForeignColumn | None:
        """The column of that name, whatever its case, or None."""
        exact = self.columns.get(name)
        if exact is not None:
            return exact
        return next((column for key, column in self.columns.items() if key.lower() == name.lower()), None)


@dataclass(slots=True)
class ForeignModel:
    """All tables by the name they go by, with the dialect that their expressions are written in."""

    dialect: str
    tables: dict[str, ForeignTable] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    """Partitions by name, and the table that each is a part of: what is said of one is said of the other."""

    def table(self, name: str) -> ForeignTable | None:
        """The table of that name, whatever its case, or None."""
        name = self.parts.get(name, name)
        exact = self.tables.get(name)
        if exact is not None:
            return exact
        return next((table for key, table in self.tables.items() if key.lower() == name.lower()), None)

    def parents(self, table: ForeignTable) -> Iterator[ForeignTable]:
        """The tables that one refers to, itself left out."""
        for reference in table.references:
            parent = self.table(reference.table)
            if parent is not None and parent is not table:
                yield parent
