"""Deterministic SQL: the clock and the random functions of SQLite, answered by the world.

The functions are replaced on the connection, so they also hold inside DEFAULT clauses, CHECKs and generated
columns. A date function delegates to a plain connection with 'now' replaced, so all its modifiers work. The
world's clock is local time by definition: the modifiers 'localtime' and 'utc' change nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import apsw

from synthesis.worlds.worker.call_context import CallContext

Value = int | float | str | bytes | None

_ZONES = frozenset({"localtime", "utc"})
_LARGEST_BLOB = 1_000_000

TIME_VALUES: dict[str, tuple[int, ...]] = {
    "datetime": (0,),
    "date": (0,),
    "time": (0,),
    "julianday": (0,),
    "unixepoch": (0,),
    "strftime": (1,),
    "timediff": (0, 1),
}
"""The date functions and which of their arguments are time values."""


def install(connection: apsw.Connection, context: CallContext) -> None:
    """Make every date, clock and random function of a connection answer from `context`."""

    def define(name: str, function: Callable[..., Value], arguments: int, *, deterministic: bool) -> None:
        connection.create_scalar_function(
            name, function, arguments, deterministic=deterministic, flags=apsw.SQLITE_INNOCUOUS
        )

    for name, places in TIME_VALUES.items():
        define(name, _delegating(name, places, context), -1, deterministic=True)
    define("current_timestamp", lambda: context.now.strftime("%Y-%m-%d %H:%M:%S"), 0, deterministic=True)
    define("current_date", lambda: context.now.strftime("%Y-%m-%d"), 0, deterministic=True)
    define("current_time", lambda: context.now.strftime("%H:%M:%S"), 0, deterministic=True)
    define("changes", lambda: _changes(connection, context), 0, deterministic=False)
    # Never declared deterministic: SQLite would then draw once per statement instead of once per row.
    define("random", lambda: context.random.getrandbits(64) - 2**63, 0, deterministic=False)
    define("randomblob", lambda size: _random_blob(context, size), 1, deterministic=False)


def _delegating(name: str, places: tuple[int, ...], context: CallContext) -> Callable[..., Value]:
    statements: dict[int, str] = {}

    def call(*arguments: Value) -> Value:
        values: list[Value] = [
            argument
            for place, argument in enumerate(arguments)
            if place <= places[-1] or not (isinstance(argument, str) and argument.lower() in _ZONES)
        ]
        if len(values) == places[0]:  # the time value left out means now
            values.append("now")
        for place in places:
            given = values[place] if place < len(values) else None
            if isinstance(given, str) and given.lower() == "now":
                values[place] = context.now.isoformat(" ")
        count = len(values)
        if count not in statements:
            statements[count] = f"SELECT {name}({','.join('?' * count)})"
        answer: Value = _plain().execute(statements[count], values).fetchall()[0][0]
        return answer

    return call


@cache
def _plain() -> apsw.Connection:
    """A connection with SQLite's own functions; opened late, see `worker.store.one_thread`."""
    return apsw.Connection(":memory:")


def _changes(connection: apsw.Connection, context: CallContext) -> int:
    """Rows the last statement of this call changed; SQLite's own answer would be that of an earlier call."""
    return connection.changes() if connection.total_changes() != context.changes_before else 0


def _random_blob(context: CallContext, size: Any) -> bytes:
    wanted = size if isinstance(size, int) else 1
    return context.random.randbytes(min(max(wanted, 1), _LARGEST_BLOB))
