"""A DB-API module over the database of the instance whose call is running, for SQLAlchemy's SQLite dialect.

One call of a tool is one transaction of the world. What an application commits is a savepoint within it, so
that its own rollback undoes its own work and the world still sees, and can undo, the whole call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Any

import apsw

from synthesis.worlds.worker.connection import GuardedConnection

apilevel, threadsafety, paramstyle = "2.0", 1, "qmark"
sqlite_version = apsw.sqlite_lib_version()
sqlite_version_info = tuple(int(part) for part in sqlite_version.split("."))
PARSE_DECLTYPES, PARSE_COLNAMES = 1, 2
Binary = bytes

Row = tuple[Any, ...]
_SAVEPOINT = "application"


class Error(Exception):
    """A database error, as the DB-API names it."""


class DatabaseError(Error):
    """The database refused something."""


class InterfaceError(Error):
    """The module was used wrongly."""


class DataError(DatabaseError):
    """A value does not fit."""


class OperationalError(DatabaseError):
    """A statement could not be run."""


class IntegrityError(DatabaseError):
    """A constraint would be broken."""


class InternalError(DatabaseError):
    """The database is in a bad state."""


class ProgrammingError(DatabaseError):
    """Parameters and statement do not fit, or a cursor is closed."""


class NotSupportedError(DatabaseError):
    """The database cannot do it."""


class Connection:
    """The connection that all engines of an application share; `database` changes with the instance."""

    isolation_level: str | None = ""
    row_factory: Any = None
    total_changes = 0

    def __init__(self) -> None:
        self._database: GuardedConnection | None = None
        self._open = False

    def turn_to(self, database: GuardedConnection) -> None:
        """Serve another instance from now on; what the last call left uncommitted is no part of it."""
        self._database, self._open = database, False

    @property
    def database(self) -> GuardedConnection:
        """The present instance's database.

        Raises:
            InterfaceError: No call is running.
        """
        if self._database is None:
            raise InterfaceError("no call is running, so there is no database")
        return self._database

    def cursor(self, *_: Any) -> Cursor:
        """A cursor on it."""
        return Cursor(self)

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Cursor:
        """As sqlite3's shortcut."""
        return Cursor(self).execute(sql, parameters)

    def begin(self) -> None:
        """Remember where a rollback leads."""
        if not self._open:
            self.database.own(f"SAVEPOINT {_SAVEPOINT}")
            self._open = True

    def commit(self) -> None:
        """Keep what was done since the last commit."""
        if self._open:
            self.database.own(f"RELEASE {_SAVEPOINT}")
            self._open = False

    def rollback(self) -> None:
        """Undo what was done since the last commit."""
        if self._open:
            self.database.own(f"ROLLBACK TO {_SAVEPOINT}")
            self.commit()

    def close(self) -> None:
        """Undo what was not committed; the database belongs to the world."""
        self.rollback()

    def create_function(self, *_: Any, **__: Any) -> None:
        """Functions of an application are not installed: the world's own answer time and chance."""


class Cursor:
    """A cursor that has read all rows once a statement was executed."""

    arraysize = 1

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.description: list[tuple[Any, ...]] | None = None
        self.rowcount, self.lastrowid = -1, 0
        self._rows: Iterator[Row] = iter(())

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Cursor:
        """Run one statement.

        Raises:
            IntegrityError: A constraint would be broken.
            OperationalError: It cannot be run.
        """
        database = self.connection.database
        self.connection.begin()
        before = database.total_changes()
        try:
            cursor = database.cursor()
            cursor.exec_trace = self._describe
            self._rows = iter(cursor.execute(sql, _bindings(parameters)).fetchall())
        except apsw.ConstraintError as error:
            raise IntegrityError(str(error)) from error
        except (apsw.Error, TypeError, OverflowError) as error:
            raise OperationalError(str(error)) from error
        changed = database.total_changes() != before
        self.rowcount = database.changes() if changed else -1 if self.description else 0
        self.lastrowid = database.last_insert_rowid()
        return self

    def _describe(self, cursor: apsw.Cursor, _sql: str, _bindings: Any) -> bool:
        """Note the columns before the statement runs: afterwards, one without rows has none."""
        columns = cursor.get_description()
        self.description = [(column[0], None, None, None, None, None, None) for column in columns] or None
        return True

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> Cursor:
        """Run one statement for each of several rows."""
        changed = 0
        for parameters in rows:
            self.execute(sql, parameters)
            changed += max(self.rowcount, 0)
        self.rowcount = changed
        return self

    def fetchone(self) -> Row | None:
        """The next row, or None."""
        return next(self._rows, None)

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next rows."""
        return [row for _, row in zip(range(size or self.arraysize), self._rows, strict=False)]

    def fetchall(self) -> list[Row]:
        """All rows that are left."""
        return list(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    def close(self) -> None:
        """Forget the rows."""
        self._rows = iter(())


def _bindings(parameters: Any) -> Any:
    if isinstance(parameters, dict):
        return {name: _plain(value) for name, value in parameters.items()}
    return tuple(map(_plain, parameters))


def _plain(value: Any) -> Any:
    """A value as sqlite3 stores it, which writes dates as texts."""
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, date) else value
