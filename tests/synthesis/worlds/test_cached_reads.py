"""A query on a state that does not change runs once, and no reader sees what another did to its rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from synthesis.worlds.worker.cached_reads import CachedDatabase, ReadCache
from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import GuardedConnection


@pytest.fixture
def connection() -> Iterator[GuardedConnection]:
    opened = GuardedConnection(CallContext(datetime(2026, 1, 5)), access="build")
    opened.own("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
    opened.own("INSERT INTO notes VALUES (1, 'eggs'), (2, 'milk')")
    yield opened
    opened.close(True)


ALL = "SELECT * FROM notes ORDER BY id"


def test_what_was_read_is_remembered_until_the_cache_is_cleared(connection: GuardedConnection) -> None:
    cache = ReadCache()
    assert len(CachedDatabase(connection, cache).query(ALL)) == 2
    connection.own("DELETE FROM notes WHERE id = 2")
    assert len(CachedDatabase(connection, cache).query(ALL)) == 2
    cache.clear()
    assert len(CachedDatabase(connection, cache).query(ALL)) == 1


def test_a_reader_does_not_see_what_another_did_to_its_rows(connection: GuardedConnection) -> None:
    cache = ReadCache()
    first = CachedDatabase(connection, cache).query(ALL)
    first[0]["text"] = "nothing"
    first.clear()
    again = CachedDatabase(connection, cache)
    assert [row["text"] for row in again.query(ALL)] == ["eggs", "milk"]
    row = again.one(ALL)
    assert row is not None
    row.clear()
    assert again.one(ALL) == {"id": 1, "text": "eggs"}
    assert again.one("SELECT * FROM notes WHERE id = 9") is None


def test_parameters_of_another_type_are_another_query(connection: GuardedConnection) -> None:
    database = CachedDatabase(connection, ReadCache())
    kinds = [database.one("SELECT typeof(?) AS kind", value) for value in (1, 1.0, "1", None)]
    assert [row and row["kind"] for row in kinds] == ["integer", "real", "text", "null"]
    with pytest.raises(TypeError, match="parameter 1 is a list"):
        database.query("SELECT ?", [1])


def test_what_is_drawn_at_random_is_drawn_every_time(connection: GuardedConnection) -> None:
    database = CachedDatabase(connection, ReadCache())
    drawn = [database.one("SELECT random() AS number") for _ in range(4)]
    assert len({row and row["number"] for row in drawn}) > 1
