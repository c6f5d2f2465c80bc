"""Integrity: whether an image that came out of a worker says the same of a row wherever it is read.

Code in a worker can hand out any bytes as its database. Where an index disagrees with its table, a query
finds other rows by the index than a comparison finds in the table.
"""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from synthesis.worlds.tables import TableShape
from synthesis.worlds.worker.connection import GuardedConnection


class NotIntact(Exception):
    """An image contradicts itself; the text says where."""


def require_intact(connection: GuardedConnection, tables: Iterable[TableShape]) -> None:
    """Hold tables against their indexes and their rules; the time is that of reading them.

    Raises:
        NotIntact: They disagree, or cannot be read.
    """
    for table in tables:
        name = table.name.replace('"', '""')
        try:
            ((words,),) = connection.own(f'PRAGMA integrity_check("{name}")')[:1]
        except (apsw.CorruptError, ValueError) as error:
            raise NotIntact(f"the database cannot be read at table {table.name}: {error}") from error
        if words != "ok":
            raise NotIntact(f"the database contradicts itself at table {table.name}: {words}")
