"""Carry: the foreign model as SQLite's DDL, tables below those they refer to, with keys and checks."""

from __future__ import annotations

from dataclasses import dataclass

from synthesis.intake.convert.converted_table import ConvertedTable, convert_columns
from synthesis.intake.convert.expressions import NotExpressible, condition
from synthesis.intake.foreign import Expression, ForeignModel, ForeignReference
from synthesis.intake.names import Names, quoted
from synthesis.intake.notes import Notes

_ACTIONS = frozenset({"CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT"})


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key between two tables here."""

    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]
    on_delete: str
    on_update: str


class SchemaConverter:
    """Carries a whole model over.

    Args:
        model: The tables that are wanted.
        notes: Where anything left behind is told.
    """

    def __init__(self, model: ForeignModel, notes: Notes) -> None:
        self._model, self._notes = model, notes
        self.tables: dict[str, ConvertedTable] = {}
        """By the name in the source."""
        self.references: dict[str, list[Reference]] = {}
        """By the name here of the table that refers."""
        self._index_names = Names("index", Notes())
        self._convert()
        for table in self.tables.values():
            self._index_names.give(table.name)

    def named(self, name: str) -> ConvertedTable:
        """The table of that name here."""
        return next(table for table in self.tables.values() if table.name == name)

    def ordered(self) -> tuple[ConvertedTable, ...]:
        """The tables, each below those it refers to; where they refer in a circle, the least bound first."""
        waiting = {table.name: table for table in self.tables.values()}
        placed: list[ConvertedTable] = []
        while waiting:
            open_parents = {
                name: {one.table for one in self.references[name]} & waiting.keys() - {name}
                for name in waiting
            }
            free = [name for name in waiting if not open_parents[name]]
            chosen = free or [min(waiting, key=lambda name: (len(open_parents[name]), name))]
            placed.extend(waiting.pop(name) for name in chosen)
        return tuple(placed)

    def sql(self, *, source: str) -> str:
        """The whole of schema.sql."""
        tables = self.ordered()
        message = " ".join(source.split())
        head = (
            f"-- Read from {message}. Days are 'YYYY-MM-DD', moments 'YYYY-MM-DDTHH:MM:SS' in local time,\n"
            "-- money is integer cents.\n"
        )
        texts = [self._table(table) for table in tables]
        indexes = [line for table in tables for line in self._indexes(table)]
        return "\n".join([head, *texts, *indexes]) + "\n"

    def _convert(self) -> None:
        names = Names("table", self._notes)
        for foreign in self._model.tables.values():
            if foreign.columns:
                bare = foreign.name.rpartition(".")[2]
                taken = any(other.name.rpartition(".")[2] == bare for other in self._others(foreign.name))
                wanted = foreign.name.replace(".", "_") if taken else bare
                table = ConvertedTable(names.give(wanted), foreign)
                convert_columns(table, dialect=self._model.dialect, notes=self._notes)
                self.tables[foreign.name] = table
            else:
                message = f"{foreign.name} has no columns and is left out."
                self._notes.add("tables_are_left_out", message, where=foreign.name)
        for table in self.tables.values():
            references = [self._reference(table, one) for one in table.source.references]
            self.references[table.name] = list(dict.fromkeys(one for one in references if one is not None))
        self._note_cycles()

    def _others(self, name: str) -> list[ConvertedTable]:
        return [table for source, table in self.tables.items() if source != name]

    def _reference(self, table: ConvertedTable, one: ForeignReference) -> Reference | None:
        foreign = self._model.table(one.table) or self._model.table(one.table.rpartition(".")[2])
        target = self.tables.get(foreign.name) if foreign is not None else None
        shown = f"{table.source.name} ({', '.join(one.columns)}) -> {one.table}"
        if target is None:
            self._drop(shown, f"table {one.table} is not imported")
            return None
        columns = table.names(one.columns)
        references = target.names(one.references) if one.references else target.key
        if columns is None or references is None or len(columns) != len(references):
            self._drop(shown, "its columns do not fit those it refers to")
            return None
        if set(references) != set(target.key) and not any(
            set(references) == set(unique) for unique in self._unique_columns(target)
        ):
            self._drop(shown, f"({', '.join(references)}) is neither the key of {target.name} nor unique")
            return None
        return Reference(columns, target.name, references, one.on_delete, one.on_update)

    def _unique_columns(self, table: ConvertedTable) -> list[tuple[str, ...]]:
        indexed = [
            names
            for index in table.source.indexes
            if index.unique and index.where is None and (names := table.names(index.columns)) is not None
        ]
        return [*table.uniques, *indexed]

    def _drop(self, shown: str, why: str) -> None:
        self._notes.add("foreign_keys_are_not_converted", f"{shown}: left out, {why}.", where=shown)

    def _in_cycle(self, table: str, one: Reference) -> bool:
        """Whether following foreign keys from its target leads back; one naming itself does not count."""
        if one.table == table:
            return False
        seen, waiting = {one.table}, [one.table]
        while waiting:
            for other in self.references[waiting.pop()]:
                if other.table == table:
                    return True
                if other.table not in seen:
                    seen.add(other.table)
                    waiting.append(other.table)
        return False

    def _note_cycles(self) -> None:
        for name, references in self.references.items():
            for one in references:
                if self._in_cycle(name, one):
                    self._notes.add(
                        "foreign_keys_form_no_cycle",
                        f"{name} ({', '.join(one.columns)}) -> {one.table} is part of a cycle, checked "
                        "at the end of a call (DEFERRABLE INITIALLY DEFERRED).",
                        where=f"{name} ({', '.join(one.columns)})",
                        warn=False,
                    )

    def _table(self, table: ConvertedTable) -> str:
        rowid = table.rowid
        lines = [
            column.definition(rowid=rowid and column.name == table.key[0])
            for column in table.columns.values()
        ]
        if not rowid:
            lines.append(f"PRIMARY KEY ({_listed(table.key)})")
        lines += [f"UNIQUE ({_listed(unique)})" for unique in table.uniques]
        lines += [self._foreign_key(table.name, one) for one in self.references[table.name]]
        lines += self._checks(table)
        about = " ".join(table.source.comment.split())[:200]
        comment = f"-- {about}\n" if about else ""
        body = ",\n".join(f"    {line}" for line in dict.fromkeys(lines))
        return f"{comment}CREATE TABLE {quoted(table.name)} (\n{body}\n);\n"

    def _foreign_key(self, table: str, one: Reference) -> str:
        parts = [
            f"FOREIGN KEY ({_listed(one.columns)}) REFERENCES {quoted(one.table)} ({_listed(one.references)})"
        ]
        if one.on_delete in _ACTIONS:
            parts.append(f"ON DELETE {one.on_delete}")
        if one.on_update in _ACTIONS:
            parts.append(f"ON UPDATE {one.on_update}")
        if self._in_cycle(table, one):
            parts.append("DEFERRABLE INITIALLY DEFERRED")
        return " ".join(parts)

    def _checks(self, table: ConvertedTable) -> list[str]:
        known = {
            column.kind.check(quoted(column.name), column.source.values if column.source else ())
            for column in table.columns.values()
        }
        texts = [self._condition(table, check, "checks_are_not_converted") for check in table.source.checks]
        return [f"CHECK ({text})" for text in texts if text and _bare(text) not in map(_bare, known)]

    def _condition(self, table: ConvertedTable, expression: Expression, check: str) -> str | None:
        try:
            return condition(expression, table.kind)
        except NotExpressible as error:
            shown = " ".join(expression.sql(dialect=self._model.dialect).split())[:160]
            place = f"{table.source.name}: {shown}"
            self._notes.add(check, f"{table.source.name}: CHECK {shown} is left out: {error}.", where=place)
            return None

    def _indexes(self, table: ConvertedTable) -> list[str]:
        lines, seen = [], {table.key, *table.uniques}
        for index in table.source.indexes:
            columns = table.names(index.columns)
            if columns is None:
                message = f"{table.source.name} ({', '.join(index.columns)}): index over a column left out."
                self._notes.add("exotic_indexes_are_not_converted", message, where=message[:80])
                continue
            if columns in seen and (index.where is None or not index.unique):
                continue
            where = ""
            if index.where is not None:
                text = self._condition(table, index.where, "partial_indexes_are_not_converted")
                if text is None:
                    continue
                where = f" WHERE {text}"
            else:
                seen.add(columns)
            name = self._index_names.give(f"{table.name}_by_{'_and_'.join(columns)}"[:60])
            kind = "UNIQUE INDEX" if index.unique else "INDEX"
            lines.append(f"CREATE {kind} {quoted(name)} ON {quoted(table.name)} ({_listed(columns)}){where};")
        return lines


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(quoted, names))


def _bare(text: str) -> str:
    return "".join(text.split()).replace("(", "").replace(")", "").replace('"', "").lower()
