"""RowWatch: it notes every row that a session of SQLite tells of."""

from __future__ import annotations

import contextlib
import random
from datetime import datetime

import apsw
import pytest

from synthesis.worlds.tables import shapes
from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.row_watch import RowWatch

NOW = CallContext(datetime(2026, 1, 1))
SCHEMA = (
    "CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT UNIQUE, twice INTEGER GENERATED ALWAYS AS (id * 2))",
    "CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id) ON DELETE CASCADE, n INTEGER)",
    "CREATE TABLE c (id INTEGER PRIMARY KEY, b_id INTEGER REFERENCES b (id) ON DELETE SET NULL)",
    "INSERT INTO a (id, t) VALUES (1, 'x'), (2, 'y'), (3, 'z')",
    "INSERT INTO b VALUES (1, 1, 5), (2, 1, 6), (3, 2, 7)",
    "INSERT INTO c VALUES (1, 1), (2, 3), (3, NULL)",
)
STATEMENTS = (
    "DELETE FROM a WHERE id = 1",
    "DELETE FROM a",
    "DELETE FROM b WHERE n > 5",
    "INSERT INTO a (t) VALUES ('new')",
    "INSERT OR REPLACE INTO a (id, t) VALUES (9, 'y')",
    "UPDATE a SET t = t",
    "UPDATE a SET t = t || '!' WHERE id < 3",
    "UPDATE c SET id = id + 10",
    "UPDATE b SET n = n + 1, a_id = NULL WHERE id = 2",
    "INSERT INTO c VALUES (30, 99)",
    "INSERT INTO b SELECT id + 20, a_id, n FROM b",
)


def connection() -> GuardedConnection:
    result = GuardedConnection(NOW, access="build")
    for statement in SCHEMA:
        result.execute(statement)
    return result


def told_by_a_session(on: GuardedConnection, statements: list[str]) -> set[tuple[str, int]]:
    with contextlib.closing(apsw.Session(on, "main")) as session:
        session.attach()
        for statement in statements:
            with contextlib.suppress(apsw.ConstraintError):
                on.execute(statement)
        entries = apsw.Changeset.iter(on.changeset(session))
        return {(one.name, (one.new if one.op == "INSERT" else one.old)[0]) for one in entries}


@pytest.mark.parametrize("seed", range(40))
def test_it_notes_every_row_that_differs(seed: int) -> None:
    chance = random.Random(seed)
    statements = [chance.choice(STATEMENTS) for _ in range(chance.randint(1, 5))]
    expected = told_by_a_session(connection(), statements)
    on = connection()
    tables = shapes(on)
    before = {(table.name, row[0]): row for table in tables for row in on.execute(table.select)}
    watch = RowWatch(on, tables)
    with watch.watching():
        for statement in statements:
            with contextlib.suppress(apsw.ConstraintError):
                on.execute(statement)
    after = {(table.name, row[0]): row for table in tables for row in on.execute(table.select)}
    written = [(table.name, key) for table, key in watch.written]
    assert len(written) == len(set(written))
    assert {place for place in written if before.get(place) != after.get(place)} == expected


def test_it_forgets_and_looks_only_while_it_is_to() -> None:
    on = connection()
    watch = RowWatch(on, shapes(on))
    on.execute("UPDATE a SET t = 'earlier' WHERE id = 1")
    with watch.watching():
        on.execute("UPDATE a SET t = 'q' WHERE id = 2")
    on.execute("UPDATE a SET t = 'later' WHERE id = 3")
    assert [(table.name, key) for table, key in watch.written] == [("a", 2)]
    with watch.watching(), contextlib.suppress(apsw.ConstraintError):
        on.execute("INSERT INTO b VALUES (1, 1, 1)")
    assert [place for place in watch.written if place[1] == 2] == []


def test_rows_without_a_table_of_ours_are_left_out() -> None:
    on = connection()
    watch = RowWatch(on, [table for table in shapes(on) if table.name != "b"])
    with watch.watching():
        on.execute("DELETE FROM a WHERE id = 1")
    assert {table.name for table, _ in watch.written} == {"a", "c"}
