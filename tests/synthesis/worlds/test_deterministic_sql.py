"""SQL's clock and dice belong to the world, also inside defaults, checks and generated columns."""

from __future__ import annotations

from datetime import datetime

import apsw
import pytest

from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import GuardedConnection

NOW = datetime(2026, 3, 11, 8, 30)


@pytest.fixture
def connection() -> GuardedConnection:
    return GuardedConnection(CallContext(NOW, seed=4), access="build")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("datetime('now')", "2026-03-11 08:30:00"),
        ("datetime()", "2026-03-11 08:30:00"),
        ("DateTime('NOW', 'localtime')", "2026-03-11 08:30:00"),
        ("datetime('now', 'utc', '+1 month', 'start of month')", "2026-04-01 00:00:00"),
        ("date('now', '-3 days')", "2026-03-08"),
        ("time('now')", "08:30:00"),
        ("strftime('%H:%M on %d')", "08:30 on 11"),
        ("strftime('%Y', 'now', '+1 year')", "2027"),
        ("strftime('%Y', '2020-01-01')", "2020"),
        ("unixepoch('now')", 1773217800),
        ("julianday('now')", julian := 2461110.8541666665),
        ("julianday()", julian),
        ("timediff('now', '2026-03-10 08:30')", "+0000-00-01 00:00:00.000"),
        ("CURRENT_TIMESTAMP", "2026-03-11 08:30:00"),
        ("current_date", "2026-03-11"),
        ("current_time", "08:30:00"),
        ("date('2026-01-31', '+1 month')", "2026-03-03"),
        ("date('nonsense')", None),
        ("date(NULL)", None),
    ],
)
def test_now_is_the_worlds_clock(connection: GuardedConnection, expression: str, value: object) -> None:
    assert connection.execute(f"SELECT {expression}").fetchall() == [(value,)]


def test_the_clock_holds_within_a_call_and_moves_between_calls(connection: GuardedConnection) -> None:
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT DEFAULT CURRENT_TIMESTAMP)")
    for number in (0, 1, 60):
        connection.context.begin(number)
        connection.execute("INSERT INTO t DEFAULT VALUES; INSERT INTO t DEFAULT VALUES")
    assert [row[0][11:] for row in connection.execute("SELECT at FROM t")] == [
        "08:30:00", "08:30:00", "08:30:01", "08:30:01", "08:31:00", "08:31:00",
    ]  # fmt: skip


def test_random_is_drawn_once_per_row_and_again_at_a_replay(connection: GuardedConnection) -> None:
    sql = "WITH n(i) AS (VALUES (1), (2), (3)) SELECT random(), hex(randomblob(8)) FROM n"
    first = connection.execute(sql).fetchall()
    assert len(set(first)) == 3
    connection.context.begin(0)
    assert connection.execute(sql).fetchall() == first
    connection.context.begin(1)
    assert connection.execute(sql).fetchall() != first


def test_checks_and_generated_columns_may_use_dates(connection: GuardedConnection) -> None:
    connection.execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, d TEXT CHECK (date(d) = d), y AS (strftime('%Y', d)))"
    )
    connection.execute("INSERT INTO t (d) VALUES ('2026-03-11')")
    assert connection.execute("SELECT y FROM t").fetchall() == [("2026",)]
    with pytest.raises(apsw.ConstraintError):
        connection.execute("INSERT INTO t (d) VALUES ('2026-02-30')")


def test_a_huge_random_blob_is_bounded(connection: GuardedConnection) -> None:
    assert connection.execute("SELECT length(randomblob(2000000000))").fetchall() == [(1_000_000,)]
