"""Carried: one table as it will stand here, with the names and kinds its columns have got."""

from __future__ import annotations

from dataclasses import dataclass, field

from synthesis.intake.convert.expressions import NotExpressible, computed, default, json_columns
from synthesis.intake.convert.kinds import Kind, KindName, kind_of, type_name
from synthesis.intake.foreign import ForeignColumn, ForeignTable
from synthesis.intake.names import Names, quoted
from synthesis.intake.notes import Notes

_CHANGES: dict[KindName, str] = {
    "money": "money_is_kept_in_cents",
    "real": "decimals_become_floats",
    "moment": "time_zones_are_left_out",
    "time": "time_zones_are_left_out",
    "integer": "bits_become_integers",
}


@dataclass(slots=True)
class ConvertedColumn:
    """One column here."""

    name: str
    kind: Kind
    source: ForeignColumn | None
    default: str | None = None
    computed: str | None = None
    not_null: bool = False

    @property
    def longest(self) -> int | None:
        """Characters that its declared type holds; None where it does not say."""
        digits = self.kind.sql.partition("(")[2].rstrip(")")
        return int(digits) if digits.isdigit() else None

    def definition(self, *, rowid: bool) -> str:
        """Its line in the CREATE TABLE; `rowid` for the integer key that the table counts itself."""
        name = quoted(self.name)
        if rowid:
            return f"{name} INTEGER PRIMARY KEY"
        parts = [name, self.kind.sql]
        if self.computed is not None:
            return " ".join([*parts, f"AS ({self.computed}) STORED"])
        if self.not_null:
            parts.append("NOT NULL")
        if self.default is not None:
            parts.append(f"DEFAULT {self.default}")
        check = self.kind.check(name, self.source.values if self.source is not None else ())
        if check:
            parts.append(f"CHECK ({check})")
        return " ".join(parts)


@dataclass(slots=True)
class ConvertedTable:
    """One table here."""

    name: str
    source: ForeignTable
    columns: dict[str, ConvertedColumn] = field(default_factory=dict)
    """By the name in the source; a key made here by its own name."""
    key: tuple[str, ...] = ()
    """Names of the primary key's columns here."""
    uniques: list[tuple[str, ...]] = field(default_factory=list)

    def find(self, name: str) -> ConvertedColumn | None:
        """The column that carries the source's column of that name, whatever its case."""
        column = self.source.column(name)
        return self.columns.get(column.name) if column is not None else None

    def kind(self, name: str) -> tuple[str, KindName] | None:
        """Name and kind here of a column of the source."""
        column = self.find(name)
        return (column.name, column.kind.name) if column is not None else None

    def names(self, sources: tuple[str, ...]) -> tuple[str, ...] | None:
        """Names here of columns of the source; None when one of them did not come along."""
        converted_columns = [self.find(name) for name in sources]
        return (
            tuple(column.name for column in converted_columns if column is not None)
            if all(converted_columns)
            else None
        )

    def column(self, name: str) -> ConvertedColumn:
        """The column of that name here."""
        return next(column for column in self.columns.values() if column.name == name)

    @property
    def rowid(self) -> bool:
        """Whether the key is one integer, which SQLite counts itself."""
        return len(self.key) == 1 and self.column(self.key[0]).kind.name == "integer"


def convert_columns(table: ConvertedTable, *, dialect: str, notes: Notes) -> None:
    """Carry the columns of a table over, then its key and its unique columns."""
    names = Names("column", notes)
    source = table.source
    keyed = {name.lower() for key in (source.primary_key, *source.uniques) for name in key}
    keyed |= {name.lower() for reference in source.references for name in reference.columns}
    documents = {name.lower() for check in source.checks for name in json_columns(check)}
    for column in source.columns.values():
        place = f"{source.name}.{column.name}"
        kind = kind_of(column, dialect=dialect)
        if kind.name == "text" and column.name.lower() in documents:
            kind = Kind("json", "TEXT")
        if kind.name == "gone" and column.name.lower() in keyed:
            kind = Kind("text", "TEXT", f"{column.type.sql()} is plain text, because it is part of a key")
        if kind.name == "money" and column.name.lower() in keyed:
            kind = Kind("real", "REAL", "an exact decimal becomes a floating-point number")
        _tell(kind, place, notes)
        if kind.name == "gone":
            continue
        name = names.give(column.name, owner=source.name, suffix="_cents" if kind.name == "money" else "")
        table.columns[column.name] = ConvertedColumn(name, kind, column, not_null=not column.nullable)
    _choose_key(table, names, notes)
    for unique in source.uniques:
        converted = table.names(unique)
        if converted is not None and set(converted) != set(table.key) and converted not in table.uniques:
            table.uniques.append(converted)
    for converted_column in table.columns.values():
        _take_values(table, converted_column, notes)


def _choose_key(table: ConvertedTable, names: Names, notes: Notes) -> None:
    source = table.source
    key = table.names(source.primary_key) if source.primary_key else None
    if key is None:
        indexed = [index.columns for index in source.indexes if index.unique and index.where is None]
        uniques = [*source.uniques, *indexed]
        key = next((texts for unique in uniques if (texts := _certain(table, unique))), None)
        if key is not None:
            message = (
                f"{source.name} has no primary key; its unique columns ({', '.join(key)}) become the key."
            )
            notes.add("every_table_has_a_primary_key", message, where=source.name)
    if key is None:
        name = names.give("id" if source.column("id") is None else f"{table.name}_id")
        table.columns = {"": ConvertedColumn(name, Kind("integer", "INTEGER"), None), **table.columns}
        message = f"{source.name} has no primary key; an auto-incremented {name} is proposed."
        notes.add("every_table_has_a_primary_key", message, where=source.name)
        key = (name,)
    table.key = key
    for name in key:
        table.column(name).not_null = True


def _certain(table: ConvertedTable, unique: tuple[str, ...]) -> tuple[str, ...] | None:
    """The unique columns when none of them may be NULL."""
    columns = [table.find(name) for name in unique]
    sure = all(column is not None and column.not_null for column in columns)
    return table.names(unique) if sure else None


def _take_values(table: ConvertedTable, column: ConvertedColumn, notes: Notes) -> None:
    source = column.source
    place = f"{table.source.name}.{source.name if source is not None else column.name}"
    if source is None:
        return
    if source.default is not None:
        try:
            column.default = default(source.default, column.kind.name)
            if column.default == "'{}'" and type_name(source.type) == "ARRAY":
                column.default = "'[]'"
        except NotExpressible as error:
            message = f"{place}: its default is left out: {error}."
            notes.add("defaults_are_not_converted", message, where=place)
    if source.computed is not None and column.name not in table.key:
        try:
            column.computed = computed(source.computed, table.kind, money=column.kind.name == "money")
        except NotExpressible as error:
            message = f"{place} becomes an ordinary column; its expression is left out: {error}."
            notes.add("generated_columns_are_not_converted", message, where=place)


def _tell(kind: Kind, place: str, notes: Notes) -> None:
    if kind.name == "gone":
        notes.add("columns_are_not_converted", f"{place} is left out: {kind.note}.", where=place)
    elif kind.note:
        check = _CHANGES.get(kind.name, "types_are_not_converted")
        notes.add(check, f"{place}: {kind.note}.", where=place, warn=kind.name not in _CHANGES)
