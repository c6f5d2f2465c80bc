"""The `db` of tools over any DB-API connection to SQLite, with the clock and the chance of the world."""

from __future__ import annotations

import datetime as world_datetime
import random as world_random
import sqlite3 as world_sqlite3
from typing import Any

WORLD_TIME_VALUES = {
    "datetime": (0,),
    "date": (0,),
    "time": (0,),
    "julianday": (0,),
    "unixepoch": (0,),
    "strftime": (1,),
}


class WorldRefusal(Exception):
    """A refusal that the agent sees."""


class WorldReader:
    """A database to look into, at one moment of the world.

    Args:
        connection: A DB-API connection.
        now: The world's clock.
    """

    def __init__(self, connection: Any, now: Any) -> None:
        self._connection, self._now = connection, now

    def query(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        """All rows of a statement, each as a dict by column name."""
        cursor = self._connection.cursor()
        cursor.execute(sql, params)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def one(self, sql: str, *params: Any) -> dict[str, Any] | None:
        """The first row of a statement, or None."""
        rows = self.query(sql, *params)
        return rows[0] if rows else None

    def now(self) -> Any:
        """The world's clock: a naive local time."""
        return self._now


class WorldDatabase(WorldReader):
    """The same to write to: one call is one transaction.

    Args:
        connection: A DB-API connection.
        now: The world's clock.
        number: How many calls were made before.
        actor: Key of the row that stands for the user the agent acts for.
        keys: Columns of the primary key by table.
    """

    def __init__(
        self, connection: Any, now: Any, number: Any, actor: Any, keys: dict[str, tuple[str, ...]]
    ) -> None:
        super().__init__(connection, now)
        self.actor, self._keys = actor, keys
        self.random = world_random.Random(f"0/{number}")  # noqa: S311 - reproducible on purpose

    def execute(self, sql: str, *params: Any) -> int:
        """Run an INSERT, UPDATE or DELETE; the number of rows it changed."""
        cursor = self._connection.cursor()
        cursor.execute(sql, params)
        return max(int(cursor.rowcount), 0)

    def insert(self, table: str, /, **values: Any) -> Any:
        """Insert one row; its key: the new id, the value of another single key, or a tuple."""
        names = ", ".join(world_quoted(name) for name in values)
        marks = ", ".join("?" * len(values))
        what = f"({names}) VALUES ({marks})" if values else "DEFAULT VALUES"
        sql = f"INSERT INTO {world_quoted(table)} {what}"
        key = self._keys.get(table, ())
        if not key:
            cursor = self._connection.cursor()
            cursor.execute(sql, tuple(values.values()))
            return cursor.lastrowid
        returned = f"{sql} RETURNING {', '.join(map(world_quoted, key))}"
        row = tuple(self.query(returned, *values.values())[0].values())
        return row[0] if len(key) == 1 else row


def world_quoted(name: str) -> str:
    """An identifier as SQL."""
    return '"' + name.replace('"', '""') + '"'


def world_call_number(connection: Any) -> int | None:
    """How many calls were made before, counted in the file itself: nothing of it is a row.

    None where the host keeps the clock, as a hosted world does; it refuses the pragma.
    """
    cursor = connection.cursor()
    try:
        cursor.execute("PRAGMA user_version")
        number = int(cursor.fetchone()[0])
        cursor.execute(f"PRAGMA user_version = {number + 1}")
    except Exception:  # noqa: BLE001 - each host has errors of its own
        return None
    return number


def world_moment(start: Any, number: int | None) -> Any:
    """The world's clock at a call: the start and one second for each call before it."""
    if number is None:
        return world_datetime.datetime.now().replace(tzinfo=None)
    return start + world_datetime.timedelta(seconds=number)


def world_install_clock(connection: Any, now: Any) -> None:
    """Make SQLite's date functions and time defaults answer from the world's clock."""
    plain = world_sqlite3.connect(":memory:")
    for name, places in WORLD_TIME_VALUES.items():
        connection.create_function(name, -1, world_delegate(plain, name, places, now), deterministic=True)
    stamp = now.strftime("%Y-%m-%d %H:%M:%S")
    for name, text in (
        ("current_timestamp", stamp),
        ("current_date", stamp[:10]),
        ("current_time", stamp[11:]),
    ):
        connection.create_function(name, 0, lambda text=text: text, deterministic=True)


def world_delegate(plain: Any, name: str, places: tuple[int, ...], now: Any) -> Any:
    """A date function of SQLite with 'now' replaced; the world's clock is local time."""

    def call(*arguments: Any) -> Any:
        values = [
            argument
            for place, argument in enumerate(arguments)
            if place <= places[-1] or str(argument).lower() not in ("localtime", "utc")
        ]
        if len(values) == places[0]:
            values.append("now")
        for place in places:
            if place < len(values) and str(values[place]).lower() == "now":
                values[place] = now.isoformat(" ")
        return plain.execute(f"SELECT {name}({','.join('?' * len(values))})", values).fetchone()[0]

    return call
