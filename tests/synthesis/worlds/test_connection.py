"""What every connection of a worker has in common."""

from __future__ import annotations

from datetime import datetime

from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import GuardedConnection


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
