"""Tables that two images are said to hold alike hold the same rows, whatever was written and by whom."""

from __future__ import annotations

import random
from datetime import datetime

import apsw
import pytest

from synthesis.worlds.tables import shapes
from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import PAGE_SIZE, GuardedConnection
from synthesis.worlds.worker.live import read_only
from synthesis.worlds.worker.pages import PageMap
from synthesis.worlds.worker.state import compare, read

NOW = datetime(2026, 3, 11)
SCHEMA = (
    "CREATE TABLE plain (id INTEGER PRIMARY KEY, v TEXT)",
    "CREATE TABLE coded (code TEXT NOT NULL PRIMARY KEY, v TEXT) WITHOUT ROWID",
    "CREATE TABLE keyless (v TEXT)",
    "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, v TEXT UNIQUE)",
    "CREATE TABLE quiet (id INTEGER PRIMARY KEY, v TEXT)",
    "CREATE INDEX plain_by_v ON plain (v)",
)


def begun() -> GuardedConnection:
    connection = GuardedConnection(CallContext(NOW), access="build")
    for statement in SCHEMA:
        connection.execute(statement)
    for number in range(40):
        long = "x" * (2_000 if number % 10 == 0 else 20)
        connection.execute("INSERT INTO plain (v) VALUES (?)", (f"{number} {long}",))
        connection.execute("INSERT INTO coded VALUES (?, ?)", (f"c{number}", long))
        connection.execute("INSERT INTO keyless VALUES (?)", (str(number),))
        connection.execute("INSERT INTO counted (v) VALUES (?)", (str(number),))
        connection.execute("INSERT INTO quiet (v) VALUES (?)", (long,))
    return connection


def mapped(image: bytes) -> PageMap:
    return PageMap(read_only(image, NOW), image)


WRITES = (
    "UPDATE plain SET v = 'new' WHERE id = 3",
    "UPDATE plain SET v = v || 'y' WHERE length(v) > 1000",
    "DELETE FROM plain WHERE id % 2",
    "INSERT INTO coded VALUES ('z', 'new')",
    "DELETE FROM coded",
    "INSERT INTO keyless VALUES ('7')",
    "INSERT INTO counted (v) VALUES ('new')",
    "DELETE FROM counted WHERE id = 40",
    "UPDATE counted SET v = 5.0 WHERE id = 5",
)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_said_to_be_alike_is_alike_after_any_writes(seed: int) -> None:
    connection = begun()
    before = connection.image()
    for statement in random.Random(seed).choices(WRITES, k=seed % 4):
        connection.execute(statement)
    after = connection.image()
    alike = mapped(before).alike(after)
    tables = shapes(connection)
    whole = compare(read(read_only(before, NOW), tables), connection, tables)
    assert {row["table"] for row in whole}.isdisjoint(alike)
    assert "quiet" in alike
    left = [table for table in tables if table.name not in alike]
    assert compare(read(read_only(before, NOW), tables), connection, left) == whole


def test_an_image_is_wholly_like_itself() -> None:
    image = begun().image()
    names = {"plain", "coded", "keyless", "counted", "quiet"}
    assert mapped(image).alike(image) >= names


def test_a_changed_byte_of_a_row_is_never_overlooked() -> None:
    before = begun().image()
    pages = mapped(before)
    whole = read(read_only(before, NOW), tables := shapes(read_only(before, NOW)))
    number = 0
    for place in random.Random(1).sample(range(PAGE_SIZE, len(before)), 400):
        after = before[:place] + bytes([before[place] ^ 1]) + before[place + 1 :]
        alike = pages.alike(after)
        try:
            results = read(read_only(after, NOW), tables)
        except apsw.Error:  # the byte held the database together
            continue
        assert all(results[name] == whole[name] for name in alike & whole.keys())
        number += results != whole
    assert number > 100


@pytest.mark.parametrize(
    "statement",
    ["VACUUM", "DROP TABLE plain", "CREATE TABLE more (a)", "ALTER TABLE plain ADD COLUMN w", "REINDEX"],
)
def test_another_schema_or_another_place_of_the_tables_tells_nothing_wrong(statement: str) -> None:
    connection = begun()
    before = connection.image()
    connection.execute("DELETE FROM keyless WHERE v > '2'")
    connection.authorizer = None
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)  # VACUUM attaches a database
    connection.execute(statement)
    after = connection.image()
    tables = [table for table in shapes(connection) if table.name in mapped(before).alike(after)]
    assert compare(read_only(before, NOW), read_only(after, NOW), tables) == []
    assert (len(tables) == 0) is (statement != "REINDEX")


@pytest.mark.parametrize("statement", SCHEMA)
def test_a_changed_byte_of_the_schema_is_noticed_whatever_was_asked_before(statement: str) -> None:
    image = begun().image()
    place = image.index(statement[:20].encode()) + 15
    other = image[:place] + bytes([image[place] ^ 1]) + image[place + 1 :]
    pages = mapped(image)
    assert [pages.has_same_schema(each) for each in (image, other, other, image)] == [
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("image", [b"", b"SQLite format 3\x00", b"\x00" * 4_096])
def test_what_is_no_image_is_like_nothing(image: bytes) -> None:
    assert mapped(begun().image()).alike(image) == frozenset()
