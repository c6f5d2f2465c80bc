"""The `db` that tools are given, and the read-only one of verifiers."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import apsw

from synthesis.worlds.tables import TableShape, quoted
from synthesis.worlds.worker.connection import GuardedConnection

Row = dict[str, Any]


class ReadOnlyDatabase:
    """A database to look into: what verifiers get as `before` and `after`."""

    def __init__(self, connection: GuardedConnection) -> None:
        self._connection = connection

    def query(self, sql: str, *params: Any) -> list[Row]:
        """All rows of a SELECT, each as a dict by column name."""
        cursor = self._connection.execute(sql, _bindings(params))
        try:
            names = [column[0] for column in cursor.get_description()]
        except apsw.ExecutionCompleteError:
            return []
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def one(self, sql: str, *params: Any) -> Row | None:
        """The first row of a SELECT, or None."""
        cursor = self._connection.execute(sql, _bindings(params))
        row = cursor.fetchone()
        if row is None:
            return None
        names = [column[0] for column in cursor.get_description()]
        cursor.close(True)
        return dict(zip(names, row, strict=True))

    def now(self) -> datetime:
        """The world's clock: a naive local time."""
        return self._connection.context.now


class ToolDatabase(ReadOnlyDatabase):
    """The `db` of tools: one call is one transaction, which the world begins and ends.

    Args:
        connection: The instance's database.
        tables: Its tables.
        actor: Key of the row that stands for the user the agent acts for.
    """

    def __init__(self, connection: GuardedConnection, tables: Iterable[TableShape], actor: Any) -> None:
        super().__init__(connection)
        self._tables = {table.name: table for table in tables}
        self._inserts: dict[tuple[str, ...], str] = {}
        self.actor = actor

    @property
    def random(self) -> random.Random:
        """The instance's generator, seeded; the same numbers at every replay."""
        return self._connection.context.random

    def query(self, sql: str, *params: Any) -> list[Row]:
        """All rows of a statement, each as a dict by column name."""
        self._stay_in_transaction()
        return super().query(sql, *params)

    def one(self, sql: str, *params: Any) -> Row | None:
        """The first row of a statement, or None."""
        self._stay_in_transaction()
        return super().one(sql, *params)

    def execute(self, sql: str, *params: Any) -> int:
        """Run an INSERT, UPDATE or DELETE; the number of rows it changed."""
        self._stay_in_transaction()
        before = self._connection.total_changes()
        self._connection.execute(sql, _bindings(params)).fetchall()
        return self._connection.changes() if self._connection.total_changes() != before else 0

    def insert(self, table: str, /, **values: Any) -> Any:
        """Insert one row; its key: the new id, the value of another single key, or a tuple."""
        self._stay_in_transaction()
        shape = self._shape(table, values)
        place = (table, *values)
        if place not in self._inserts:
            self._inserts[place] = _insert_statement(shape, tuple(values))
        row: Any = self._connection.execute(
            self._inserts[place], _bindings(tuple(values.values()))
        ).fetchone()
        if not shape.key:
            return self._connection.last_insert_rowid()
        return row[0] if len(shape.key) == 1 else tuple(row)

    def _shape(self, table: str, values: Row) -> TableShape:
        shape = self._tables.get(table)
        if shape is None:
            raise ValueError(f"db.insert: there is no table {table!r}; tables: {', '.join(self._tables)}")
        if unknown := [column for column in values if column not in shape.columns]:
            raise ValueError(
                f"db.insert: {table} has no column {', '.join(unknown)}; columns: {', '.join(shape.columns)}"
            )
        return shape

    def _stay_in_transaction(self) -> None:
        """INSERT OR ROLLBACK ends a transaction; what follows must not be written outside of one."""
        if not self._connection.in_transaction:
            raise RuntimeError("the call's transaction has ended: nothing more can be read or written in it")


def _insert_statement(shape: TableShape, columns: tuple[str, ...]) -> str:
    if columns:
        names, marks = ", ".join(map(quoted, columns)), ", ".join("?" * len(columns))
        sql = f"INSERT INTO {quoted(shape.name)} ({names}) VALUES ({marks})"  # noqa: S608 - names are quoted
    else:
        sql = f"INSERT INTO {quoted(shape.name)} DEFAULT VALUES"
    return f"{sql} RETURNING {', '.join(map(quoted, shape.key))}" if shape.key else sql


def _bindings(params: tuple[Any, ...]) -> tuple[Any, ...]:
    for place, value in enumerate(params, start=1):
        if value is not None and not isinstance(value, int | float | str | bytes):
            hint = " (pass them one by one: *values)" if isinstance(value, list | tuple) else ""
            raise TypeError(
                f"parameter {place} is a {type(value).__name__}; SQL takes numbers, text and None{hint}"
            )
    return params
