"""What a verifier compares is worked out once for as long as the tables stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from synthesis.worlds import comparison
from synthesis.worlds.tables import shapes
from synthesis.worlds.worker.cached_comparisons import CachedComparisons
from synthesis.worlds.worker.cached_reads import CachedDatabase, ReadCache
from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.tool_database import ReadOnlyDatabase


def _opened(*notes: str) -> GuardedConnection:
    opened = GuardedConnection(CallContext(datetime(2026, 1, 5)), access="build")
    opened.own("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
    opened.own("CREATE TABLE lines (text TEXT)")
    for number, text in enumerate(notes, 1):
        opened.own("INSERT INTO notes VALUES (?, ?)", (number, text))
    return opened


class _Sides:
    """Two states, looked into by way of the cache or past it."""

    def __init__(self) -> None:
        self.connections = _opened("eggs"), _opened("eggs", "milk")
        caches = ReadCache(has_views=False), ReadCache(has_views=False)
        self.known = CachedComparisons(*caches, shapes(self.connections[0]))
        self.after_cache = caches[1]
        self.cached = tuple(map(CachedDatabase, self.connections, caches))
        self.plain = tuple(map(ReadOnlyDatabase, self.connections))

    def edit(self, sql: str) -> None:
        self.connections[1].own(sql)
        self.after_cache.clear()


@pytest.fixture
def sides() -> Iterator[_Sides]:
    both = _Sides()
    yield both
    for connection in both.connections:
        connection.close(True)


def test_results_are_those_of_the_plain_helpers(sides: _Sides) -> None:
    sides.edit("UPDATE notes SET text = 'bread' WHERE id = 1")
    for pair in (sides.cached, sides.cached[::-1], sides.plain):
        for key in (None, "id", "text"):
            assert sides.known.added(*pair, "notes", key) == comparison.added(*pair, "notes", key)
            assert sides.known.removed(*pair, "notes", key) == comparison.removed(*pair, "notes", key)
        for value in (1, 2, 9, "1", True, (1,), [1]):
            assert sides.known.changed(*pair, "notes", value) == comparison.changed(*pair, "notes", value)


def test_a_comparison_is_remembered_until_its_table_is_forgotten(sides: _Sides) -> None:
    added, changed = sides.known.added, sides.known.changed
    assert [row["text"] for row in added(*sides.cached, "notes")] == ["milk"]
    assert changed(*sides.cached, "notes", 1) == {}
    sides.edit("UPDATE notes SET text = 'tea'")
    sides.known.forget({"lines"})
    assert [row["text"] for row in added(*sides.cached, "notes")] == ["milk"]
    sides.known.forget({"notes"})
    assert [row["text"] for row in added(*sides.cached, "notes")] == ["tea"]
    assert changed(*sides.cached, "notes", 1) == {"text": "tea"}


def test_a_verifier_does_not_see_what_it_did_to_rows_in_an_earlier_run(sides: _Sides) -> None:
    first = sides.known.added(*sides.cached, "notes")
    first[0]["text"] = "nothing"
    first.clear()
    assert [row["text"] for row in sides.known.added(*sides.cached, "notes")] == ["milk"]


def test_tables_without_a_key_are_compared_anew(sides: _Sides) -> None:
    assert sides.known.added(*sides.cached, "lines", "text") == []
    sides.edit("INSERT INTO lines VALUES ('new')")
    assert sides.known.added(*sides.cached, "lines", "text") == [{"text": "new"}]


def test_errors_are_those_of_the_plain_helpers(sides: _Sides) -> None:
    with pytest.raises(ValueError, match="no table 'nowhere' with a primary key"):
        sides.known.added(*sides.cached, "nowhere")
