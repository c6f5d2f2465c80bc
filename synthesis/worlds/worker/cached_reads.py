"""A database to look into that does not change meanwhile: what was asked of it once is not run again."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.tool_database import ReadOnlyDatabase, Row

_MOST_QUERIES = 400
_MOST_ROWS = 2_000
_UNCACHED = "random"
"""What SQL draws is different every time."""
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ReadCache:
    """What the queries on one state came to.

    Args:
        has_views: Whether a query may read a table without naming it.
    """

    def __init__(self, *, has_views: bool = True) -> None:
        self._has_views = has_views
        self._rows: dict[tuple[Any, ...], list[Row]] = {}

    def find(self, place: tuple[Any, ...]) -> list[Row] | None:
        """The rows of a query, copied: what one reader does to them, the next does not see."""
        rows = self._rows.get(place)
        return None if rows is None else [row.copy() for row in rows]

    def add(self, place: tuple[Any, ...], rows: list[Row]) -> None:
        """Remember the rows of a query, where they are few."""
        if len(rows) <= _MOST_ROWS and len(self._rows) < _MOST_QUERIES:
            self._rows[place] = [row.copy() for row in rows]

    def clear(self) -> None:
        """Forget all; the state is about to change."""
        self._rows.clear()

    def forget(self, tables: Collection[str]) -> None:
        """Forget what may have been read of these tables; they are about to change, or to change back."""
        if self._has_views or not all(map(_PLAIN_NAME.fullmatch, tables)):
            self.clear()
            return
        names = [table.lower() for table in tables]
        for place in [place for place in self._rows if any(name in place[1].lower() for name in names)]:
            del self._rows[place]


class CachedDatabase(ReadOnlyDatabase):
    """A database to look into, whose state stays the same for as long as its cache is not cleared.

    Args:
        connection: The database.
        cache: Shared by all that look into this state.
    """

    def __init__(self, connection: GuardedConnection, cache: ReadCache) -> None:
        super().__init__(connection)
        self.cache = cache

    def query(self, sql: str, *params: Any) -> list[Row]:
        """All rows of a SELECT, each as a dict by column name."""
        place = _place("query", sql, params)
        rows = self.cache.find(place) if place else None
        if rows is None:
            rows = super().query(sql, *params)
            if place:
                self.cache.add(place, rows)
        return rows

    def one(self, sql: str, *params: Any) -> Row | None:
        """The first row of a SELECT, or None."""
        place = _place("one", sql, params)
        rows = self.cache.find(place) if place else None
        if rows is None:
            row = super().one(sql, *params)
            rows = [] if row is None else [row]
            if place:
                self.cache.add(place, rows)
        return rows[0] if rows else None


def _place(method: str, sql: Any, params: tuple[Any, ...]) -> tuple[Any, ...]:
    """Where the rows of a query are remembered; () for one that is not."""
    plain = type(sql) is str and all(
        value is None or type(value) in (int, float, str, bytes) for value in params
    )
    if not plain or _UNCACHED in sql.lower():
        return ()
    return method, sql, params, tuple(map(type, params))
