"""Two databases as a verifier sees them, and the rows in which they differ; over the sqlite3 it is given."""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Iterator
from typing import Any


class FileState:
    """One database file, open for reading.

    Args:
        path: The file.
        now: The world's clock.
    """

    def __init__(self, path: Any, now: Any) -> None:
        place = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        self._connection, self._now = sqlite3.connect(f"file:{place}?mode=ro", uri=True), now

    def query(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        """All rows of a SELECT, each as a dict by column name."""
        cursor = self._connection.execute(sql, params)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def one(self, sql: str, *params: Any) -> dict[str, Any] | None:
        """The first row of a SELECT, or None."""
        rows = self.query(sql, *params)
        return rows[0] if rows else None

    def now(self) -> Any:
        """The world's clock."""
        return self._now

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def state_moment(text: str) -> Any:
    """A clock that was written down."""
    return datetime.datetime.fromisoformat(text)


class DifferingRow:
    """One row that was inserted, updated or deleted."""

    def __init__(self, table: str, key: Any, before: Any, after: Any) -> None:
        self.table, self.key, self.before, self.after = table, key, before, after
        self.kind = "inserted" if before is None else "deleted" if after is None else "updated"
        self.put_back = False
        self.columns = tuple(
            name
            for name in (before or after)
            if before is None or after is None or not state_same(before[name], after[name])
        )


class Differences:
    """All rows that differ; iterable, and false when nothing changed."""

    def __init__(self, rows: list[DifferingRow]) -> None:
        self._rows = self.touched = rows
        self.inserted = [row for row in rows if row.kind == "inserted"]
        self.updated = [row for row in rows if row.kind == "updated"]
        self.deleted = [row for row in rows if row.kind == "deleted"]

    def __iter__(self) -> Iterator[DifferingRow]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def only(self, *places: Any) -> bool:
        """Whether every changed row is at one of the places: (table, key), or (table,) for all its rows."""
        return all(
            any(row.table == place[0] and (len(place) == 1 or row.key == place[1]) for place in places)
            for row in self._rows
        )


def changes_between(before: FileState, after: FileState, tables: Any) -> Differences:
    """The rows that differ, by table and key.

    Args:
        before: The earlier state.
        after: The later one.
        tables: Stored columns and columns of the key by table.
    """
    rows = []
    for table, (columns, key) in tables.items():
        sql = f"SELECT {', '.join(map(state_quoted, columns))} FROM {state_quoted(table)}"  # noqa: S608 - names are quoted
        old, new = state_rows(before.query(sql), key), state_rows(after.query(sql), key)
        for place in [*old, *(place for place in new if place not in old)]:
            first, last = old.get(place), new.get(place)
            if first is None or last is None or not all(state_same(first[c], last[c]) for c in first):
                rows.append(DifferingRow(table, place[0] if len(key) == 1 else place, first, last))
    return Differences(rows)


def state_rows(rows: list[dict[str, Any]], key: tuple[str, ...]) -> dict[Any, Any]:
    """Rows by their key; of a table without one, by all of their values and how often those occur."""
    known: dict[Any, Any] = {}
    for row in rows:
        place = tuple(row[column] for column in key) if key else tuple(row.values())
        times = 0
        while not key and (*place, times) in known:
            times += 1
        known[place if key else (*place, times)] = row
    return known


def state_same(one: Any, other: Any) -> bool:
    """Whether two cells are equal; 1, 1.0 and "1" are not."""
    return bool(one == other) and type(one) is type(other)


def state_quoted(name: str) -> str:
    """An identifier as SQL."""
    return '"' + name.replace('"', '""') + '"'


class check:  # noqa: N801 - verifiers know it by this name
    """One check that a verifier made."""

    def __init__(self, name: str, passed: bool, detail: Any = None, guard: bool = False) -> None:
        self.name, self.passed, self.detail, self.guard = name, passed, detail, guard
