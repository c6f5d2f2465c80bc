"""The pages behind an in-memory database: replaced under a connection that keeps what it has prepared."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from unittest import mock

import apsw
import pytest

from synthesis.worlds.worker import fork_server
from synthesis.worlds.worker.store import CONNECTION_FLAGS, Store

ROWS = 400


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def connection(store: Store) -> Iterator[apsw.Connection]:
    with closing(apsw.Connection(store.address, flags=CONNECTION_FLAGS)) as opened:
        yield opened


def image(*statements: str, rows: int = ROWS, page_size: int = 512) -> bytes:
    """A database of some rows, changed by statements."""
    made = apsw.Connection(":memory:")
    made.execute(f"PRAGMA page_size = {page_size}; CREATE TABLE t (id INTEGER PRIMARY KEY, text)")
    made.execute("BEGIN")
    made.executemany("INSERT INTO t VALUES (?, ?)", ((number, "x" * 100) for number in range(rows)))
    made.execute("COMMIT")
    for statement in statements:
        made.execute(statement)
    return made.serialize("main")


def read(connection: apsw.Connection, number: int) -> object:
    """The text of one row, by a statement that stays prepared."""
    found = connection.execute("SELECT text FROM t WHERE id = ?", (number,)).fetchall()
    return found[0][0] if found else None


@pytest.mark.parametrize("page_size", [512, 4096])
def test_a_connection_sees_each_image_in_turn(
    store: Store, connection: apsw.Connection, page_size: int
) -> None:
    first = image(page_size=page_size)
    other = image("UPDATE t SET text = 'new' WHERE id = 390", page_size=page_size)
    for given, text in [(first, "x" * 100), (other, "new"), (first, "x" * 100), (other, "new")]:
        assert store.replace(given)
        assert read(connection, 390) == text
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_images_of_other_sizes_are_taken_whole(store: Store, connection: apsw.Connection) -> None:
    sizes = [400, 40, 4_000, 1, 0, 400]
    for rows in sizes:
        assert store.replace(image(rows=rows))
        assert connection.execute("SELECT count(*) FROM t").fetchall() == [(rows,)]
        assert len(connection.serialize("main")) == len(image(rows=rows))


def test_only_blocks_that_differ_are_written(
    store: Store, connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.replace(image())
    assert read(connection, 1) is not None
    written: list[int] = []

    class File(apsw.VFSFile):
        def xWrite(self, data: bytes, offset: int) -> None:
            written.append(offset)
            super().xWrite(data, offset)

    monkeypatch.setattr(apsw, "VFSFile", File)
    assert store.replace(image("UPDATE t SET text = 'new' WHERE id = 390"))
    assert read(connection, 390) == "new"
    assert len(written) == 2, "the header and the block of the row"


def test_a_connection_that_reads_is_left_alone(store: Store, connection: apsw.Connection) -> None:
    assert store.replace(image())
    reading = connection.execute("SELECT text FROM t")
    next(reading)
    assert not store.replace(image("DELETE FROM t"))
    assert len(list(reading)) == ROWS - 1
    assert store.replace(image("DELETE FROM t"))
    assert read(connection, 1) is None


def test_a_size_that_was_not_noted_stays_so(store: Store, connection: apsw.Connection) -> None:
    """An image whose two counters differ says nothing of its size: SQLite then looks at the file's."""
    forged = bytearray(image())
    forged[28:32] = (3).to_bytes(4, "big")
    forged[92:96] = b"\x01\x02\x03\x04"
    assert store.replace(bytes(forged))
    assert connection.execute("SELECT count(*) FROM t").fetchall() == [(ROWS,)]


def test_stores_are_apart(store: Store, connection: apsw.Connection) -> None:
    other = Store()
    with closing(apsw.Connection(other.address, flags=CONNECTION_FLAGS)) as second:
        assert store.replace(image())
        assert other.replace(image("UPDATE t SET text = 'new'"))
        assert read(connection, 1) == "x" * 100
        assert read(second, 1) == "new"


def test_a_process_of_one_thread_counts_no_memory_and_opens_nothing_before() -> None:
    """What the fork server imports has no connection open, which would keep SQLite as it is."""
    program = """
import apsw
from synthesis.worlds.worker import fork_server
assert not apsw.connections(), apsw.connections()
fork_server.one_thread()
connection = apsw.Connection(":memory:")
connection.execute("CREATE TABLE t (x)")
assert apsw.memory_used() == 0, apsw.memory_used()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_the_fork_server_settles_for_one_thread_before_all_else(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(fork_server, "one_thread", lambda: done.append("one thread"))
    monkeypatch.setattr(fork_server, "preload", lambda *_, **__: done.append("preload") or sys.exit())
    monkeypatch.setattr(fork_server.namespaces, "enter", lambda: None)
    monkeypatch.setattr(fork_server, "_be_killed_first", lambda: None)
    monkeypatch.setattr(fork_server.signal, "signal", lambda *_: None)
    monkeypatch.setattr(fork_server.socket, "socket", mock.MagicMock())
    monkeypatch.setattr(sys, "argv", ["", "0", ""])
    with pytest.raises(SystemExit):
        fork_server.main()
    assert done == ["one thread", "preload"]
