"""What every connection of a worker has in common."""

from __future__ import annotations

from datetime import datetime

import apsw
import pytest

from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import GuardedConnection

NOW = CallContext(datetime(2026, 1, 1))


class Counting(GuardedConnection):
    """Counts how often SQLite asks, which it does only while it prepares a statement."""

    asked = 0

    def _authorize(self, *question: object) -> int:
        self.asked += 1
        return super()._authorize(*question)  # type: ignore[arg-type]


def test_a_statement_is_prepared_once_whatever_is_bound_to_it() -> None:
    connection = Counting(CallContext(datetime(2026, 1, 1)), access="build")
    connection.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT, n INTEGER)")
    connection.execute("CREATE INDEX a_by_n ON a (n) WHERE n > 3")
    sql = "SELECT * FROM a WHERE t LIKE ? AND n = ? ORDER BY n LIMIT ?"
    connection.execute(sql, ("x%", 1, 5)).fetchall()
    asked = connection.asked
    assert asked
    for pattern, number, most in (("y%", 7, 1), ("%z", 4, 0), ("x%", 1, 5)):
        connection.execute(sql, (pattern, number, most)).fetchall()
    assert connection.asked == asked


def test_nothing_is_written_while_only_reading_and_all_stays_prepared() -> None:
    connection = Counting(CallContext(datetime(2026, 1, 1)), access="build")
    connection.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT)")
    writing = "INSERT INTO a (t) VALUES ('x') RETURNING id"
    connection.execute(writing).fetchall()
    connection.execute(ROWS_OF_A).fetchall()
    asked = connection.asked
    for _ in range(3):
        with connection.reading():
            assert connection.execute(ROWS_OF_A).fetchall() == [(1, "x")]
            with connection.reading(), pytest.raises(apsw.ReadOnlyError):
                connection.execute(writing)
            with pytest.raises(apsw.ReadOnlyError):
                connection.execute(writing)
    assert connection.asked == asked, "a statement was prepared again"
    with connection.reading():
        for more in ("DELETE FROM a", "SELECT 1; DELETE FROM a", "WITH n AS (SELECT 2) UPDATE a SET t = 'y'"):
            with pytest.raises(apsw.ReadOnlyError):
                connection.execute(more).fetchall()
    assert connection.execute(ROWS_OF_A).fetchall() == [(1, "x")]
    assert connection.execute(writing).fetchall() == [(2,)]


def test_writing_goes_on_when_what_only_read_has_failed() -> None:
    connection = GuardedConnection(NOW, access="build")
    connection.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT)")
    with pytest.raises(ZeroDivisionError), connection.reading():
        raise ZeroDivisionError
    assert connection.execute("INSERT INTO a (t) VALUES ('x') RETURNING id").fetchall() == [(1,)]


ROWS_OF_A = "SELECT id, t FROM a ORDER BY id"


def built(*statements: str) -> bytes:
    connection = GuardedConnection(NOW, access="build")
    for statement in statements:
        connection.execute(statement)
    return connection.image()


ROWS = "SELECT id, v FROM a ORDER BY id"
TABLE = "CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT)"
FIRST = built(TABLE, "INSERT INTO a VALUES (1, 'x'), (2, 'y')")
OTHER = built(TABLE, "INSERT INTO a VALUES (3, 'z')")


def test_what_is_prepared_stays_in_use_when_an_image_of_the_same_schema_is_loaded() -> None:
    connection = Counting(NOW, access="write", image=FIRST, refillable=True)
    assert connection.execute(ROWS).fetchall() == [(1, "x"), (2, "y")]
    asked = connection.asked
    for image, rows in ((OTHER, [(3, "z")]), (FIRST, [(1, "x"), (2, "y")])):
        connection.load(image, same_schema=True)
        assert connection.execute(ROWS).fetchall() == rows
    assert connection.asked == asked


def test_nothing_written_before_a_load_is_left() -> None:
    connection = GuardedConnection(NOW, access="write", image=FIRST, refillable=True)
    for _ in range(3):
        connection.execute("INSERT INTO a (v) VALUES (?)", ("w" * 5_000,))
        connection.execute("DELETE FROM a WHERE id = 1")
        connection.load(FIRST, same_schema=True)
        assert connection.execute(ROWS).fetchall() == [(1, "x"), (2, "y")]
        assert len(connection.image()) == len(FIRST)


def test_another_schema_is_read_although_it_has_the_same_number() -> None:
    other = built(
        "CREATE TABLE a (v TEXT, id INTEGER PRIMARY KEY, w TEXT)", "INSERT INTO a VALUES ('q', 7, 1)"
    )
    assert other[40:44] == FIRST[40:44]
    connection = GuardedConnection(NOW, access="write", image=FIRST, refillable=True)
    connection.execute(ROWS).fetchall()
    connection.load(other)
    assert connection.execute("SELECT * FROM a").fetchall() == [("q", 7, "1")]
    connection.load(FIRST, same_schema=True)  # no longer where another connection could write
    assert connection.execute("SELECT * FROM a").fetchall() == [(1, "x"), (2, "y")]


def test_connections_share_nothing_and_keep_their_ceiling() -> None:
    one, two = (
        GuardedConnection(NOW, access="write", image=FIRST, refillable=True, max_mib=1) for _ in range(2)
    )
    one.execute("DELETE FROM a")
    one.load(OTHER, same_schema=True)
    assert two.execute(ROWS).fetchall() == [(1, "x"), (2, "y")]
    with pytest.raises(apsw.FullError):
        one.execute("INSERT INTO a (v) VALUES (?)", ("w" * 2**20,))


def test_a_statement_of_ours_stays_prepared_and_is_nobody_elses() -> None:
    connection = Counting(NOW, access="write", image=FIRST)
    connection.only_we_write()
    writing = "UPDATE a SET v = ? WHERE id = ?"
    connection.own(writing, ("z", 1), cached=True)
    asked = connection.asked
    connection.own(writing, ("u", 2), cached=True)
    assert connection.asked == asked
    with pytest.raises(apsw.AuthError):
        connection.execute(writing, ("w", 1))
    assert connection.execute(ROWS).fetchall() == [(1, "z"), (2, "u")]


def test_a_statement_of_ours_is_not_kept_unless_it_is_asked_for() -> None:
    connection = Counting(NOW, access="write", image=FIRST)
    writing = "UPDATE a SET v = ? WHERE id = ?"
    connection.own(writing, ("z", 1))
    asked = connection.asked
    connection.own(writing, ("u", 2))
    assert connection.asked > asked
