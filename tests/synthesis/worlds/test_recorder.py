# ruff: noqa: E501 - tables of cases read better in one line
"""What a call changed, told by the session extension, equals what a comparison of both states tells."""

from __future__ import annotations

from datetime import datetime

import pytest

from synthesis.worlds.tables import shapes
from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.recorder import Recorder
from synthesis.worlds.worker.state import compare

SCHEMA = """
CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER, t TEXT DEFAULT 'x', double AS (n * 2) STORED);
CREATE TABLE b (k TEXT NOT NULL, l INTEGER NOT NULL, v, PRIMARY KEY (l, k)) WITHOUT ROWID;
CREATE TABLE c (v);
CREATE TABLE d (k TEXT PRIMARY KEY, a INTEGER REFERENCES a (id) ON DELETE SET NULL);
INSERT INTO a (n) VALUES (1), (2), (3);
INSERT INTO b VALUES ('x', 1, 1), ('y', 2, 2);
INSERT INTO c VALUES (1), (1);
INSERT INTO d VALUES ('p', 1), ('q', 2);
"""


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "INSERT INTO a (n) VALUES (4), (5); DELETE FROM a WHERE n = 4",
        "UPDATE a SET n = n + 1; UPDATE a SET n = n - 1",
        "UPDATE a SET n = n + 1 WHERE id = 2; UPDATE a SET t = 'z' WHERE id = 2",
        "DELETE FROM a WHERE id = 1",
        "DELETE FROM a; INSERT INTO a (id, n) VALUES (2, 2)",
        "REPLACE INTO b VALUES ('x', 1, 'new'); UPDATE b SET k = 'w' WHERE k = 'y'",
        "INSERT INTO c VALUES (1), (2); DELETE FROM c WHERE rowid = 1",
        "UPDATE d SET k = 'r' WHERE k = 'p'; UPDATE d SET a = 3.0",
        "UPDATE b SET v = 1.0 WHERE k = 'x'",
        "UPDATE b SET v = x'00'; UPDATE c SET v = NULL",
    ],
)
def test_it_tells_what_a_comparison_tells(sql: str) -> None:
    context = CallContext(datetime(2026, 3, 11))
    connection = GuardedConnection(context, access="build")
    connection.execute(SCHEMA)
    before = GuardedConnection(context, access="read", image=connection.image())
    tables = shapes(connection)
    recorder = Recorder(connection, tables)
    for _ in range(2):
        recorder.begin()
        connection.own("BEGIN")
        connection.execute(sql)
        assert recorder.changes() == compare(before, connection, tables)
        connection.own("ROLLBACK")
        recorder.forget()
