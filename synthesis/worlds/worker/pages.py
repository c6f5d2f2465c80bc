"""Pages: which tables two database images surely hold alike, told from their bytes without reading a row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from synthesis.worlds.worker.connection import GuardedConnection

_SCHEMA = "sqlite_schema"
_HEADER_BYTES = 100
_PAGES_AT_ONCE = 16
_MEANING = ((0, 24), (40, 92))
"""Of the header, the bytes that say how pages are to be read; the others count writes and free pages."""


class PageMap:
    """The pages of one image by table, those of its indexes among them.

    A table's tree begins at the page that the schema names and goes on at the pages that its pages name. So
    where the schema and all pages of a table's tree in this image stand byte for byte in another, the other
    holds the same tree and with it the same rows, whoever wrote it.

    Args:
        connection: The database, open.
        image: The same database as bytes.
    """

    def __init__(self, connection: GuardedConnection, image: bytes) -> None:
        self._image = image
        self._size = int.from_bytes(image[16:18], "big")
        pages = defaultdict[str, list[int]](list)
        tables = {
            str(name): str(of) for name, of in connection.own("SELECT name, tbl_name FROM sqlite_schema")
        }
        for name, page in connection.own("SELECT name, pageno FROM dbstat"):
            pages[tables.get(str(name), str(name))].append(int(str(page)))
        self._schema = _stretches(pages.pop(_SCHEMA, []), self._size)
        self._tables: Mapping[str, list[int]] = pages
        self._asked: tuple[bytes, bool] = b"", False
        """The image that was asked about last, and whether it has this one's schema."""

    def alike(self, image: bytes) -> frozenset[str]:
        """Tables of which another image surely holds the same trees, those of their indexes among them."""
        if not self.has_same_schema(image):
            return frozenset()
        differs = self._differing(image)
        return frozenset(name for name, pages in self._tables.items() if differs.isdisjoint(pages))

    def _differing(self, image: bytes) -> set[int]:
        """The pages of this image that another does not hold alike; most blocks of several are alike."""
        own, size, block = self._image, self._size, self._size * _PAGES_AT_ONCE
        return {
            place // size + 1
            for start in range(0, len(own), block)
            if own[start : start + block] != image[start : start + block]
            for place in range(start, min(start + block, len(own)), size)
            if own[place : place + size] != image[place : place + size]
        }

    def has_same_schema(self, image: bytes) -> bool:
        """Whether another image has this one's schema byte for byte, with its roots and its encoding."""
        if self._asked[0] is not image:
            self._asked = image, self._has_same_schema(image)
        return self._asked[1]

    def _has_same_schema(self, image: bytes) -> bool:
        if not self._schema or self._size < _HEADER_BYTES:
            return False
        return all(self._image[start:end] == image[start:end] for start, end in (*_MEANING, *self._schema))


def _stretches(pages: Iterable[int], size: int) -> list[tuple[int, int]]:
    """Where pages begin and end in an image, without the header; those side by side as one."""
    stretches = list[tuple[int, int]]()
    for page in sorted(pages):
        begin, end = (page - 1) * size or _HEADER_BYTES, page * size
        if stretches and stretches[-1][1] == begin:
            begin = stretches.pop()[0]
        stretches.append((begin, end))
    return stretches
