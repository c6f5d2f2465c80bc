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


def test_what_an_edit_cannot_have_changed_stays_remembered(connection: GuardedConnection) -> None:
    connection.own("CREATE TABLE tags (id INTEGER PRIMARY KEY)")
    cache = ReadCache(has_views=False)
    database = CachedDatabase(connection, cache)
    count = "SELECT COUNT(*) AS number FROM Notes"
    both = [database.one(count), database.query("SELECT * FROM tags")]
    connection.own("DELETE FROM notes")
    connection.own("INSERT INTO tags VALUES (1)")
    cache.forget({"tags"})
    assert database.one(count) == both[0]
    assert database.query("SELECT * FROM tags") == [{"id": 1}]
    cache.forget({"notes"})
    assert database.one(count) == {"number": 0}


@pytest.mark.parametrize(("has_views", "table"), [(True, "tags"), (False, "odd name")])
def test_all_is_forgotten_where_a_query_need_not_name_its_tables(
    connection: GuardedConnection, has_views: bool, table: str
) -> None:
    cache = ReadCache(has_views=has_views)
    database = CachedDatabase(connection, cache)
    assert len(database.query(ALL)) == 2
    connection.own("DELETE FROM notes")
    cache.forget({table})
    assert database.query(ALL) == []
