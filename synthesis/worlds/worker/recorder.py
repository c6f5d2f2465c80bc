"""Recorder: which rows one call changed, found by SQLite's session extension."""

from __future__ import annotations

from typing import Any

import apsw

from synthesis.worlds.tables import TableShape, quoted
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.state import Change, Row, change, sort_key, table_changes


class Recorder:
    """Watches a connection; after each call it tells the rows that differ from before the call.

    A session costs about 20 us to begin, so one stays open until something was written. It does not see
    tables without a primary key; they are compared whole after a call that wrote.
    """

    def __init__(self, connection: GuardedConnection, tables: tuple[TableShape, ...]) -> None:
        self._connection = connection
        self._tables = {table.name: table for table in tables}
        self._places = {table.name: place for place, table in enumerate(tables)}
        self._keyless = [table for table in tables if not table.key]
        self._nullable = [table for table in tables if table.nullable_key]
        self._session: apsw.Session | None = None
        self._written = connection.total_changes()
        self._seen: dict[str, list[Row]] = {}

    def begin(self) -> None:
        """Start to watch, before a call writes."""
        if self._session is None:
            self._session = apsw.Session(self._connection, "main")
            self._session.attach()  # every table, each at its first change: 18 by name take 15 us
            self._seen = {table.name: self._read(table) for table in self._keyless}
        self._written = self._connection.total_changes()

    @property
    def has_written(self) -> bool:
        """Whether a statement has written since `begin`, also where nothing differs in the end."""
        return self._connection.total_changes() != self._written

    def changes(self) -> list[Change]:
        """The rows that differ since `begin`, by table in CREATE order and then by key; read before COMMIT.

        Raises:
            ValueError: A row was stored whose primary key holds NULL, which nothing could name any more.
        """
        if not self.has_written or self._session is None:
            return []
        self._refuse_null_keys()
        results: list[tuple[int, tuple[Any, ...], Change]] = []
        for entry in apsw.Changeset.iter(self._connection.changeset(self._session)):
            table = self._tables[entry.name]
            key, values = self._change(table, entry)
            if values["columns"]:
                results.append((self._places[table.name], sort_key(key), values))
        for table in self._keyless:
            made_here = table_changes(table, self._seen[table.name], self._read(table))
            results += [
                (self._places[table.name], (place,), new_values) for place, new_values in enumerate(made_here)
            ]
        results.sort(key=lambda item: item[:2])
        return [entries for _, _, entries in results]

    def forget(self) -> None:
        """Drop what was recorded, after a call that wrote has ended either way."""
        if self.has_written:
            self.close()

    def close(self) -> None:
        """Stop watching; the next call starts over."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _change(self, table: TableShape, entry: Any) -> tuple[Any, Change]:
        if entry.op == "INSERT":
            key = table.key_of(entry.new)
            return key, change(table, key, None, entry.new)
        key = table.key_of(entry.old)
        if entry.op == "DELETE":
            return key, change(table, key, entry.old, None)
        bindings = key if isinstance(key, tuple) else (key,)
        after = self._connection.execute(table.select_one, bindings).fetchall()[0]
        before = tuple(
            now if was is apsw.no_change else was for was, now in zip(entry.old, after, strict=True)
        )
        return key, change(table, key, before, after)

    def _refuse_null_keys(self) -> None:
        for table in self._nullable:
            nulls = " OR ".join(f"{quoted(column)} IS NULL" for column in table.key)
            sql = f"SELECT 1 FROM {quoted(table.name)} WHERE {nulls} LIMIT 1"  # noqa: S608 - names are quoted
            if self._connection.execute(sql).fetchall():
                raise ValueError(
                    f"a row of {table.name} has NULL in its primary key ({', '.join(table.key)})"
                )

    def _read(self, table: TableShape) -> list[Row]:
        return self._connection.execute(table.select).fetchall()
