"""Store: the pages behind an in-memory database, which can be replaced while a connection has it open.

The connection keeps what it has parsed and prepared, which takes most of the time of a first query. Only
pages that differ are written: a worker shares the others with the process it was forked from.
"""

from __future__ import annotations

from itertools import count

import apsw

VFS = "memdb"
CONNECTION_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
_FILE_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_MAIN_DB
_BLOCK = 4096
"""Bytes that are compared, and written, together."""
_COUNTER, _COUNTER_OF_SIZE = slice(24, 28), slice(92, 96)
"""Of an image's header: how often the database was written, and the same number when its size was noted."""
_numbers = count(1)


def one_thread() -> None:
    """Have SQLite take no locks and keep no statistics of memory, in a process that has one thread for good.

    They are a tenth of a worker's part of a call. To be called before any connection is opened.
    """
    apsw.shutdown()
    apsw.config(apsw.SQLITE_CONFIG_SINGLETHREAD)
    apsw.config(apsw.SQLITE_CONFIG_MEMSTATUS, False)
    apsw.initialize()


class Store:
    """The pages of one database of this process."""

    def __init__(self) -> None:
        self._path = f"/world-{next(_numbers)}"

    @property
    def address(self) -> str:
        """What a connection opens, with `CONNECTION_FLAGS`."""
        return f"file:{self._path}?vfs={VFS}"

    def replace(self, image: bytes) -> bool:
        """Become an image whose schema is that of the present pages; false where that cannot be done now.

        A connection that is reading or writing prevents it. The others notice by the number of writes in the
        header, which is therefore no longer the image's.
        """
        file = apsw.VFSFile(VFS, self._path, [_FILE_FLAGS, 0])
        try:
            file.xLock(apsw.SQLITE_LOCK_SHARED)
            file.xLock(apsw.SQLITE_LOCK_EXCLUSIVE)
            _write(file, image)
        except apsw.Error:
            return False
        finally:
            file.xUnlock(apsw.SQLITE_LOCK_NONE)
            file.xClose()
        return True


def _write(file: apsw.VFSFile, image: bytes) -> None:
    size, end = file.xFileSize(), len(image)
    header = _renumbered(image[:_BLOCK], file.xRead(4, _COUNTER.start) if size else b"")
    if not size:
        file.xWrite(header + image[_BLOCK:], 0)
        return
    file.xWrite(header, 0)
    for start in range(_BLOCK, end, _BLOCK):
        block = image[start : start + _BLOCK]
        if start >= size or file.xRead(min(len(block), size - start), start) != block:
            file.xWrite(block, start)
    if end < size:
        file.xTruncate(end)


def _renumbered(block: bytes, number: bytes) -> bytes:
    """The first block of an image with the number of writes that follows one; a noted size stays so."""
    next_number = ((int.from_bytes(number, "big") + 1) % 2**32).to_bytes(4, "big")
    noted = block[_COUNTER] == block[_COUNTER_OF_SIZE]
    result = bytearray(block)
    result[_COUNTER] = next_number
    result[_COUNTER_OF_SIZE] = next_number if noted else bytes(byte ^ 0xFF for byte in next_number)
    return bytes(result)
