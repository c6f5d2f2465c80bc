"""Fetch: a bounded sample of rows from a live database, with the rows that they refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synthesis.intake.convert.anonymise import treatment
from synthesis.intake.convert.cells import LONGEST_TEXT
from synthesis.intake.convert.converted_table import ConvertedColumn, ConvertedTable
from synthesis.intake.convert.schema_converter import Reference, SchemaConverter
from synthesis.intake.notes import Notes

if TYPE_CHECKING:
    from sqlalchemy import Connection

MOST_ROWS = 500
"""Rows per table at most, whatever is asked for."""
_ROUNDS = 6
_AT_ONCE = 100
_TEXTS = frozenset({"text", "json", "uuid", "choice"})


class Fetcher:
    """Brings rows into the tables' sources: the first of each table, then those that they refer to.

    No row is counted and nothing is sorted, so a table of any size costs what its first rows cost; rows
    referred to are looked up by their key. Columns that hold secrets are never asked for.

    Args:
        connection: An open, read-only connection.
        dialect: "postgres", "mysql" or "sqlite".
        rows: Rows per table wanted; those referred to come on top, up to three times as many.
        notes: Where it is told which table could not be read.
    """

    def __init__(self, connection: Connection, dialect: str, *, rows: int, notes: Notes) -> None:
        self._connection, self._dialect, self._notes = connection, dialect, notes
        self._rows = min(rows, MOST_ROWS)
        self._refused: set[str] = set()

    def __call__(self, converter: SchemaConverter) -> None:
        """Fill `rows` of every table's source."""
        for table in converter.ordered():
            table.source.rows = self._select(table, f"LIMIT {self._rows}")
        for _ in range(_ROUNDS):
            grown = [self._complete(converter, table) for table in converter.tables.values()]
            if not any(grown):
                break

    def _complete(self, converter: SchemaConverter, table: ConvertedTable) -> bool:
        """Fetch the rows that a table's rows refer to and that are not here yet."""
        grown = False
        for one in converter.references[table.name]:
            target = converter.named(one.table)
            grown |= self._complete_one(table, target, one)
        return grown

    def _complete_one(self, table: ConvertedTable, target: ConvertedTable, one: Reference) -> bool:
        sources = [_source(table, name) for name in one.columns]
        keys = [_source(target, name) for name in one.references]
        there = {tuple(row.get(name) for name in keys) for row in target.source.rows}
        texts = {tuple(row.get(name) for name in sources) for row in table.source.rows}
        missing = sorted((key for key in texts - there if None not in key), key=str)
        room = self._rows * 4 - len(target.source.rows)
        fresh: list[dict[str, Any]] = []
        for start in range(0, min(len(missing), room), _AT_ONCE):
            batch = missing[start : min(start + _AT_ONCE, room)]
            listed = ", ".join(self._quoted(name) for name in keys)
            marks = ", ".join(f"({', '.join([self._mark] * len(keys))})" for _ in batch)
            where = (
                f"WHERE ({listed}) IN (VALUES {marks})"
                if self._dialect == "sqlite"
                else f"WHERE ({listed}) IN ({marks})"
            )
            fresh += self._select(
                target, f"{where} LIMIT {_AT_ONCE}", [value for key in batch for value in key]
            )
        target.source.rows += fresh
        return bool(fresh)

    def _select(
        self, table: ConvertedTable, rest: str, values: list[Any] | None = None
    ) -> list[dict[str, Any]]:
        wanted = {name: column for name, column in table.columns.items() if self._is_wanted(table, column)}
        if table.name in self._refused or not wanted:
            return []
        listed = ", ".join(self._asked(name, column) for name, column in wanted.items())
        schema, _, bare = table.source.name.rpartition(".")
        owner = schema or ("public" if self._dialect == "postgres" else "")
        place = f"{self._quoted(owner)}.{self._quoted(bare)}" if owner else self._quoted(bare)
        results = self._answered(table, f"SELECT {listed} FROM {place} {rest}", values or [])  # noqa: S608 - quoted
        return [dict(zip(wanted, row, strict=True)) for row in results]

    def _answered(self, table: ConvertedTable, query: str, values: list[Any]) -> list[tuple[Any, ...]]:
        from sqlalchemy.exc import SQLAlchemyError

        savepoint = self._connection.begin_nested() if self._dialect == "postgres" else None
        try:
            result = self._connection.exec_driver_sql(
                query, tuple(values), execution_options={"stream_results": True}
            )
            results = [tuple(row) for row in result.fetchmany(max(self._rows, _AT_ONCE))]
            result.close()
        except SQLAlchemyError as error:
            if savepoint is not None:
                savepoint.rollback()
            self._refused.add(table.name)
            words = type(getattr(error, "orig", None) or error).__name__
            self._notes.add(
                "rows_stay_behind",
                f"{table.source.name}: no sample rows, the database did not answer in time ({words}).",
                where=table.source.name,
                part="seed_data",
            )
            return []
        if savepoint is not None:
            savepoint.commit()
        return results

    def _is_wanted(self, table: ConvertedTable, column: ConvertedColumn) -> bool:
        if column.source is None or column.computed is not None:
            return False
        how = treatment(column.source.name, column.kind.name, people=False)
        return how != "secret" or column.name in table.key

    def _asked(self, name: str, column: ConvertedColumn) -> str:
        """A column cut to what is kept, so that one giant value costs no memory here."""
        quoted = self._quoted(name)
        if column.kind.name not in _TEXTS:
            return (
                f"{quoted}::text" if self._dialect == "postgres" and column.kind.name != "integer" else quoted
            )
        if self._dialect == "postgres":
            return f"left({quoted}::text, {LONGEST_TEXT})"
        if self._dialect == "mysql":
            return f"left({quoted}, {LONGEST_TEXT})"
        return f"substr({quoted}, 1, {LONGEST_TEXT})"

    def _quoted(self, name: str) -> str:
        sign = "`" if self._dialect == "mysql" else '"'
        quoted = sign + name.replace(sign, sign * 2) + sign
        return quoted.replace("%", "%%") if self._dialect != "sqlite" else quoted

    @property
    def _mark(self) -> str:
        return "?" if self._dialect == "sqlite" else "%s"


def _source(table: ConvertedTable, name: str) -> str:
    """The name in the source of a column here."""
    column = table.column(name)
    return column.source.name if column.source is not None else name
