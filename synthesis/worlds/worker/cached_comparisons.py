"""Comparisons of one table in two states, worked out once for as long as the table stays as it is.

A trial runs one verifier thousands of times on states that differ in a row or two, and most of what the
verifier compares is the same each time: the rows of tables that were not edited.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from synthesis.worlds import comparison
from synthesis.worlds.tables import TableShape
from synthesis.worlds.worker.cached_reads import CachedDatabase, ReadCache

_PLAIN = (int, str, float, type(None))


class CachedComparisons:
    """`added`, `removed` and `changed` of two states, the second of which is edited from time to time.

    Args:
        before: What is remembered of the earlier state.
        after: What is remembered of the later one.
        tables: The tables of both. Edits of rows without a key are not noticed, so those are compared anew.
    """

    def __init__(self, before: ReadCache, after: ReadCache, tables: Iterable[TableShape]) -> None:
        self._sides = {id(before): "before", id(after): "after"}
        self._caches = before, after  # as long as they live, no other has their ids
        self._results: dict[str, dict[tuple[Any, ...], Any]] = {
            table.name: {} for table in tables if table.key and not table.nullable_key
        }

    def forget(self, tables: Collection[str]) -> None:
        """Forget what was compared of these tables; they are about to change, or to change back."""
        for table in tables:
            if table in self._results:
                self._results[table].clear()

    def given(self) -> dict[str, Any]:
        """The helpers by the names under which verifiers have them."""
        return {"added": self.added, "removed": self.removed, "changed": self.changed}

    def added(
        self, before: comparison.Database, after: comparison.Database, table: str, key: str | None = None
    ) -> list[dict[str, Any]]:
        """As `comparison.added`."""
        place = self._place(before, after, table, key)
        if not place:
            return comparison.added(before, after, table, key)
        known = self._results[table]
        if place not in known:
            known[place] = comparison.added(before, after, table, key)
        return [row.copy() for row in known[place]]

    def removed(
        self, before: comparison.Database, after: comparison.Database, table: str, key: str | None = None
    ) -> list[dict[str, Any]]:
        """As `comparison.removed`."""
        return self.added(after, before, table, key)

    def changed(
        self,
        before: comparison.Database,
        after: comparison.Database,
        table: str,
        value: Any,
        key: str | None = None,
    ) -> dict[str, Any] | None:
        """As `comparison.changed`."""
        parts = tuple(value) if type(value) in (list, tuple) else (value,)
        place = self._place(before, after, table, key)
        if not place or not all(type(part) in _PLAIN for part in parts):
            return comparison.changed(before, after, table, value, key)
        known, place = self._results[table], (*place, parts, tuple(map(type, parts)))
        if place not in known:
            known[place] = comparison.changed(before, after, table, value, key)
        result: dict[str, Any] | None = known[place]
        return None if result is None else result.copy()

    def _place(self, before: Any, after: Any, table: Any, key: Any) -> tuple[Any, ...]:
        """Where a comparison is remembered; () for one that is not."""
        if not isinstance(before, CachedDatabase) or not isinstance(after, CachedDatabase):
            return ()
        if type(table) is not str or table not in self._results or type(key) not in (str, type(None)):
            return ()
        sides = self._sides.get(id(before.cache)), self._sides.get(id(after.cache))
        return (*sides, key) if all(sides) else ()
