"""RowWatch: which rows a few statements write, noted as they do.

A session of SQLite tells the same and costs several times as much, since it prepares statements of its own
each time; but it bears every table, and has an order of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import apsw

from synthesis.worlds.tables import TableShape
from synthesis.worlds.worker.connection import GuardedConnection

Place = tuple[TableShape, int]
"""A table, and the key of a row there."""


class RowWatch:
    """Watches a connection whose tables all have a row id for a key.

    Args:
        connection: The database, in which no session is open meanwhile.
        tables: All of its tables.
    """

    def __init__(self, connection: GuardedConnection, tables: Iterable[TableShape]) -> None:
        self._connection = connection
        self._tables = {table.name: table for table in tables}
        self._written: dict[tuple[str, int], None] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note what is written meanwhile, and forget what was noted before."""
        self._written.clear()
        self._connection.preupdate_hook(self._note)
        try:
            yield
        finally:
            self._connection.preupdate_hook(None)

    @property
    def written(self) -> list[Place]:
        """The rows that were written, each once, whether or not they differ in the end."""
        return [(self._tables[name], key) for name, key in self._written if name in self._tables]

    def _note(self, update: apsw.PreUpdate) -> None:
        if update.op != "INSERT":
            self._written[update.table_name, update.rowid] = None
        if update.op != "DELETE":
            self._written[update.table_name, update.rowid_new] = None
