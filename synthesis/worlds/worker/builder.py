"""Inside a worker: build a schema and load seed rows, and say everything that does not work."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import apsw

from synthesis.documents.schema import ForeignKey, Table
from synthesis.worlds.ddl import Statement, refusal, statements, with_autoincrement
from synthesis.worlds.tables import TableShape, declared, load_order, quoted, shape_of, shapes
from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.state import state_hash

MOST_TABLES = 300
MOST_FINDINGS = 50

Problem = dict[str, Any]
"""A Finding as plain values."""


def problem(
    part: str, check: str, message: str, *, where: str = "", severity: str = "error", evidence: Any = None
) -> Problem:
    """A finding as plain values, to be read as a `Finding` by the service."""
    return {
        "part": part,
        "check": check,
        "message": message,
        "where": where,
        "severity": severity,
        "evidence": evidence,
    }


class Builder:
    """Builds one database and collects what is wrong with its schema and rows.

    Args:
        clock: What defaults such as CURRENT_TIMESTAMP say while rows are loaded.
        max_mib: Ceiling of the database's size.
    """

    def __init__(self, clock: datetime, *, max_mib: int) -> None:
        self.connection = GuardedConnection(CallContext(clock), access="build", max_mib=max_mib)
        self.problems: list[Problem] = []
        self._originals: dict[str, str] = {}
        self.tables: tuple[Table, ...] = ()
        self._shapes: dict[str, TableShape] = {}
        self._refused: dict[str, list[dict[str, Any]]] = {}

    def create(self, sql: str) -> None:
        """Run a schema script; afterwards `tables` describes what it made."""
        script = statements(sql)
        for statement in script:
            if (why := refusal(statement)) is not None:
                self._schema_problem(statement, f"{why}.")
            else:
                self._create(statement)
        self.tables = declared(self.connection, self._originals)
        self._shapes = {shape.name.lower(): shape for shape in shapes(self.connection)}
        if not self.tables and not self.problems:
            self._add("schema", "every_statement_builds", "The schema declares no table.")
        if len(self.tables) > MOST_TABLES:
            self._add(
                "schema", "every_statement_builds", f"{len(self.tables)} tables; at most {MOST_TABLES}."
            )
        self._check_keys()

    def load(self, rows: dict[str, list[dict[str, Any]]], actor: dict[str, Any] | None) -> None:
        """Insert seed rows, tables in an order that satisfies foreign keys, and check what they refer to."""
        known = {table.name: table.name for table in self.tables}
        for name in rows:
            if name not in known:
                tables = ", ".join(known) or "none"
                self._add(
                    "seed_data",
                    "every_row_loads",
                    f"There is no table {name!r}. Tables: {tables}.",
                    where=name,
                )
        self.connection.own("BEGIN")
        self.connection.own("PRAGMA defer_foreign_keys = ON")
        places: dict[str, dict[int, int]] = {}
        for name in load_order(self.tables):
            places[name] = self._load_table(name, rows.get(name, []))
        self._check_references(places, rows)
        self._check_actor(actor)
        self.connection.own("ROLLBACK" if self.problems else "COMMIT")

    def image(self) -> bytes:
        """The database as bytes."""
        return self.connection.image()

    def hash(self) -> str:
        """The hash of all rows."""
        return state_hash(self.connection, self._shapes.values())

    def _create(self, statement: Statement) -> None:
        try:
            self.connection.execute(statement.sql, can_cache=False)
        except apsw.Error as error:
            self._schema_problem(statement, f"{error}.", offset=getattr(error, "error_offset", -1))
            return
        if statement.makes_table:
            self._originals.setdefault(statement.table_name.lower(), statement.sql)
            self._never_reuse_ids(statement)

    def _never_reuse_ids(self, statement: Statement) -> None:
        """Make the table again with AUTOINCREMENT, SQLite's own way to never give an id twice."""
        table = shape_of(self.connection, statement.table_name)
        if table is None or not table.row_id or len(table.key) != 1:
            return
        changed = with_autoincrement(statement, table.key[0])
        if changed == statement.sql:
            return
        self.connection.own(f"DROP TABLE {quoted(table.name)}")
        try:
            self.connection.execute(changed, can_cache=False)
        except (
            apsw.Error
        ):  # a way to write the key that the tokens do not show: the author's statement is used
            self.connection.execute(statement.sql, can_cache=False)

    def _check_keys(self) -> None:
        names = {table.name.lower(): table for table in self.tables}
        for table in self.tables:
            if not table.primary_key:
                self._add(
                    "schema",
                    "every_table_has_a_primary_key",
                    f"Table {table.name} has no primary key: declare one, its rows cannot be distinguished.",
                    where=table.name,
                )
            for key in table.foreign_keys:
                if key.table.lower() not in names:
                    self._add(
                        "schema",
                        "every_foreign_key_has_a_target",
                        f"Table {table.name} refers to table {key.table}, which does not exist.",
                        where=table.name,
                    )
            self._check_targets(table, set(names))

    def _check_targets(self, table: Table, names: set[str]) -> None:
        """SQLite finds a foreign key whose target is not unique only when it is used; so use it here."""
        if any(key.table.lower() not in names for key in table.foreign_keys):
            return
        try:
            self.connection.own(f"PRAGMA foreign_key_check({quoted(table.name)})")
        except apsw.Error as error:
            self._add(
                "schema",
                "every_foreign_key_has_a_target",
                f"Table {table.name}: {error}. A foreign key must refer to a primary key or UNIQUE columns.",
                where=table.name,
            )

    def _load_table(self, name: str, rows: list[dict[str, Any]]) -> dict[int, int]:
        """Row numbers from 1 by SQLite's row id."""
        placed: dict[int, int] = {}
        shape, has_row_ids = self._shapes[name.lower()], self._has_row_ids(name)
        for number, row in enumerate(rows, start=1):
            try:
                self.connection.execute(_insert(name, row), tuple(row.values()))
            except (apsw.Error, OverflowError, UnicodeEncodeError) as error:
                self._row_problem(name, number, row, str(error))
                self._refused.setdefault(name.lower(), []).append(row)
                continue
            if has_row_ids:
                placed[self.connection.last_insert_rowid()] = number
            if shape.nullable_key and any(row.get(column) is None for column in shape.key):
                self._row_problem(name, number, row, f"the primary key ({', '.join(shape.key)}) is NULL")
        return placed

    def _has_row_ids(self, name: str) -> bool:
        try:
            self.connection.own(f"SELECT rowid FROM {quoted(name)} LIMIT 0")  # noqa: S608 - the name is quoted
        except apsw.Error:  # WITHOUT ROWID
            return False
        return True

    def _check_references(
        self, places: dict[str, dict[int, int]], rows: dict[str, list[dict[str, Any]]]
    ) -> None:
        try:
            broken: list[Any] = self.connection.own("PRAGMA foreign_key_check")
        except apsw.Error:  # a key without a target, which is a problem of the schema and named there
            return
        keys = {
            (table.name, number): key
            for table in self.tables
            for number, key in enumerate(reversed(table.foreign_keys))
        }
        for name, row_id, parent, number in broken:
            key = keys.get((name, number))
            columns = ", ".join(key.columns) if key else "a foreign key"
            row = places.get(name, {}).get(row_id)
            place = f"row {row}" if row else "a row"
            given = rows[name][row - 1] if row else {}
            values = [given.get(column) for column in key.columns] if key else []
            if key and self._was_refused(key, values):
                continue
            self._add(
                "seed_data",
                "every_row_loads",
                f"{name}, {place}: FOREIGN KEY constraint failed: {columns} names no row of {parent}.",
                where=name,
                evidence={
                    "row": row,
                    "columns": list(key.columns) if key else [],
                    "values": values,
                    "parent": parent,
                },
            )

    def _was_refused(self, key: ForeignKey, values: list[Any]) -> bool:
        """Whether the row that a foreign key names was given and did not load: that is the one to mend."""
        refused = self._refused.get(key.table.lower(), [])
        return any([row.get(column) for column in key.references] == values for row in refused)

    def _check_actor(self, actor: dict[str, Any] | None) -> None:
        if actor is None:
            return
        shape = self._shapes.get(str(actor["table"]).lower())
        if shape is None or len(shape.key) != 1:
            message = f"The actor's table {actor['table']!r} does not exist or has no key of one column."
            self._add("seed_data", "the_actor_exists", message, where=str(actor["table"]))
        elif not self.connection.execute(shape.select_one, (actor["key"],)).fetchall():
            message = f"The actor {actor['key']!r} is not a row of {shape.name}."
            self._add("seed_data", "the_actor_exists", message, where=shape.name)

    def _row_problem(self, table: str, number: int, row: dict[str, Any], words: str) -> None:
        self._add(
            "seed_data",
            "every_row_loads",
            f"{table}, row {number}: {words}.",
            where=table,
            evidence={"row": number, "values": row},
        )

    def _schema_problem(self, statement: Statement, message: str, *, offset: int = -1) -> None:
        """Note what is wrong with a statement; `offset` is the byte where SQLite stopped, -1 when unknown."""
        line, column = statement.line, ""
        if offset >= 0:
            before = statement.sql.encode()[:offset].decode(errors="replace")
            line += before.count("\n")
            column = f", column {len(before) - before.rfind(chr(10))}"
        self._add(
            "schema",
            "every_statement_builds",
            f"Line {line}{column}: {message}",
            where=statement.table_name or f"line {statement.line}",
            evidence=statement.sql[:500],
        )

    def _add(self, part: str, check: str, message: str, *, where: str = "", evidence: Any = None) -> None:
        if len(self.problems) < MOST_FINDINGS:
            self.problems.append(problem(part, check, message, where=where, evidence=evidence))


def _insert(table: str, row: dict[str, Any]) -> str:
    if not row:
        return f"INSERT INTO {quoted(table)} DEFAULT VALUES"
    columns, marks = ", ".join(map(quoted, row)), ", ".join("?" * len(row))
    return f"INSERT INTO {quoted(table)} ({columns}) VALUES ({marks})"  # noqa: S608 - names are quoted
