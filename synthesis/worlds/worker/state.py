"""The state of a database: its ordered rows, their hash, and how two states differ."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from operator import is_
from typing import Any

from synthesis.worlds.tables import TableShape
from synthesis.worlds.worker.connection import GuardedConnection

Row = tuple[Any, ...]
Reading = dict[str, list[Row]]
"""Rows by table, in the order of `TableShape.select`."""
Change = dict[str, Any]
"""A `RowChange` as plain values."""
_JSON = frozenset((int, str, type(None)))
"""Types of cells that are JSON as they are."""
NO_TEXTS: Mapping[str, bytes] = {}


def state_hash(
    connection: GuardedConnection, tables: Iterable[TableShape], texts: Mapping[str, bytes] = NO_TEXTS
) -> str:
    """SHA-256 of all rows, equal for equal states on every machine and in every process.

    The recipe: for each table in order of its name, the JSON text (ASCII, no white space) of
    ``[name, [column, ...], [row, ...]]`` followed by a newline; rows are lists in the order of their primary
    key (of all columns where there is none), generated columns left out. JSON keeps types apart: 1 is an
    INTEGER, 1.0 a REAL, "1" a TEXT, null a NULL and {"blob": "31"} a BLOB. Serialized images are never
    compared, since they also hold free pages.

    Args:
        connection: The database.
        tables: All of its tables.
        texts: What is hashed of tables that were not written since, by name; the others are read.
    """
    digest = hashlib.sha256()
    for table in sorted(tables, key=lambda table: table.name):
        digest.update(texts.get(table.name) or table_text(table, _rows(connection, table)))
    return digest.hexdigest()


def table_text(table: TableShape, rows: list[Row]) -> bytes:
    """What `state_hash` takes of a table."""
    text = json.dumps([table.name, table.columns, rows], separators=(",", ":"), default=_tagged)
    return text.encode() + b"\n"


def read(connection: GuardedConnection, tables: Iterable[TableShape]) -> Reading:
    """All rows, to be compared later with those of another database."""
    return {table.name: _rows(connection, table) for table in tables}


def compare(
    before: GuardedConnection | Reading, after: GuardedConnection, tables: Iterable[TableShape]
) -> list[Change]:
    """The rows that differ between two databases of one schema, by table in CREATE order and then by key."""
    changes: list[Change] = []
    for table in tables:
        old = before[table.name] if isinstance(before, dict) else _rows(before, table)
        new = _rows(after, table)
        if old != new or list(map(_types, old)) != list(map(_types, new)):
            changes += table_changes(table, old, new)
    return changes


def table_changes(table: TableShape, old: list[Row], new: list[Row]) -> list[Change]:
    """The rows of one table that differ between two readings of it, ordered by key."""
    if not table.key:
        return _changes_without_key(table, old, new)
    was, now = (
        dict(zip(map(table.key_of, old), old, strict=True)),
        dict(zip(map(table.key_of, new), new, strict=True)),
    )
    differ = [key for key in {**was, **now} if not _same(was.get(key), now.get(key))]
    return [change(table, key, was.get(key), now.get(key)) for key in sorted(differ, key=sort_key)]


def _same(first: Row | None, last: Row | None) -> bool:
    if first is None or last is None or first != last:
        return False
    return all(map(is_, map(type, first), map(type, last)))


def change(table: TableShape, key: Any, before: Row | None, after: Row | None) -> Change:
    """One changed row as the plain values of a `RowChange`."""
    if before is None or after is None:
        columns: tuple[str, ...] = table.columns
    else:
        columns = tuple(
            column
            for column, old, new in zip(table.columns, before, after, strict=True)
            if old != new or type(old) is not type(new)
        )
    return {
        "table": table.name,
        "key": _plain(key) if not isinstance(key, tuple) else [_plain(part) for part in key],
        "kind": "inserted" if before is None else "deleted" if after is None else "updated",
        "before": _as_object(table, before),
        "after": _as_object(table, after),
        "columns": columns,
    }


def sort_key(key: Any) -> tuple[Any, ...]:
    """An order over keys of any type: NULL, numbers, text, blobs, as SQLite has it."""
    parts = key if isinstance(key, tuple) else (key,)
    return tuple((_rank(part), 0 if part is None else part) for part in parts)


def _rows(connection: GuardedConnection, table: TableShape) -> list[Row]:
    """Read without keeping the statements: those of all tables would take the places of the tools' own."""
    return connection.execute(table.select, can_cache=False).fetchall()


def _rank(value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, int | float):
        return 1
    return 2 if isinstance(value, str) else 3


def _changes_without_key(table: TableShape, old: list[Row], new: list[Row]) -> list[Change]:
    """A row of a table without a key has no identity: rows come and go, none is updated."""
    was, now = Counter(map(_typed, old)), Counter(map(_typed, new))
    gone, came = _in_order(was - now), _in_order(now - was)
    return [change(table, row, row, None) for row in gone] + [change(table, row, None, row) for row in came]


def _typed(row: Row) -> tuple[Row, Row]:
    return row, _types(row)


def _types(row: Row) -> Row:
    return tuple(map(type, row))


def _in_order(rows: Counter[tuple[Row, Row]]) -> Iterator[Row]:
    return iter(sorted((row for row, _ in rows.elements()), key=sort_key))


def _as_object(table: TableShape, row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    cells = row if _JSON.issuperset(map(type, row)) else map(_plain, row)
    return dict(zip(table.columns, cells, strict=True))


def _plain(value: Any) -> Any:
    """A cell as JSON: a blob becomes SQLite's literal for it, an infinity its text."""
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return value


def _tagged(value: object) -> object:
    if isinstance(value, bytes):
        return {"blob": value.hex()}
    raise TypeError(f"a cell of type {type(value).__name__}")
