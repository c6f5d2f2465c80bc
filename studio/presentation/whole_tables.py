"""Every row of a table that the filters select, in batches that fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from studio.presentation.table_queries import (
    LONGEST_EXPORTED_CELL,
    Narrowing,
    Query,
    export_query,
    place_of,
)
from studio.services.browse.state_queries import LookTimedOut
from synthesis.documents.schema import Table
from synthesis.errors import BrokenEnvironment

MOST_ROWS = 1_000_000
"""Of one file."""
_FIRST_ROWS, _MOST_BATCH_ROWS, _GROWTH = 256, 16_384, 4
"""Batches start small, so that a download begins at once, and grow while the rows are."""

Row = dict[str, Any]
Reader = Callable[[Query, int], list[Row]]
"""The rows of a query, at most so many."""


def whole_table(table: Table, narrowing: Narrowing, read: Reader) -> Iterator[list[Any]]:
    """The rows as lists of cells, long texts cut; a last row says so where there are more than `MOST_ROWS`.

    The first batch is read at once: what is wrong with the query is raised here, not in the middle of a file.

    Raises:
        BrokenEnvironment: The query fails or takes too long.
    """
    batches = _batches(table, replace(narrowing, after=None), read)
    first = next(batches, [])
    return _bounded(table, chain(first, chain.from_iterable(batches)))


def _bounded(table: Table, rows: Iterable[Row]) -> Iterator[list[Any]]:
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            yield [f"Only the first {MOST_ROWS:,} rows: narrow the table to get the others."]
            return
        yield [_cut(row[f"v{index}"]) for index in range(len(table.columns))]


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_EXPORTED_CELL:
        return value[: LONGEST_EXPORTED_CELL - 1] + "…"
    return value


def _batches(table: Table, narrowing: Narrowing, read: Reader) -> Iterator[list[Row]]:
    size = _FIRST_ROWS
    while True:
        rows, size = _batch(table, narrowing, read, size)
        yield rows
        if len(rows) < size:
            return
        narrowing = replace(narrowing, after=place_of(rows[-1]))
        size = min(_GROWTH * size, _MOST_BATCH_ROWS)


def _batch(table: Table, narrowing: Narrowing, read: Reader, size: int) -> tuple[list[Row], int]:
    """The next rows and how many were asked for: fewer where that many are too large for one answer."""
    while True:
        try:
            return read(export_query(table, narrowing, size), size), size
        except LookTimedOut:
            raise
        except BrokenEnvironment:
            if size == 1:
                raise
            size //= _GROWTH
