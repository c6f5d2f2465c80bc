"""Written rows: the rows that an episode's calls wrote, among those that results show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from synthesis.reading.computed import cached_property
from synthesis.reading.shown_row import Cell, Ident, nouns_of
from synthesis.reading.shown_rows import ShownRows

_PAIR = 2
_NO_VALUES = ("id", "date", "phone", "year")
"""Last words of columns whose numbers tell rows apart, or are read as something else."""


class WrittenRows:
    """The rows that calls wrote, with what they hold since.

    Args:
        shown: The rows that results show, the written ones among them.
        written: The rows as calls left them, each as `(arguments, row)`.
    """

    def __init__(self, shown: ShownRows, written: Sequence[Any]) -> None:
        self._shown = shown
        self._rows: dict[Ident, list[Mapping[str, Any]]] = {}
        for each in written:
            row = each[1] if isinstance(each, list | tuple) and len(each) == _PAIR else each
            ident = shown.ident_of(row) if isinstance(row, dict) else None
            if ident is not None:
                self._rows.setdefault(ident, []).append(row)

    def __bool__(self) -> bool:
        return bool(self._rows)

    @cached_property
    def idents(self) -> frozenset[Ident]:
        """Which rows they are."""
        return frozenset(self._rows)

    @cached_property
    def only(self) -> frozenset[Ident]:
        """The one that has a code of its own, where no more than one has; else none."""
        coded = [ident for ident in self._rows if "number" in self._shown.rows[ident].cells]
        return frozenset(coded) if len(coded) == 1 else frozenset()

    @property
    def in_order(self) -> tuple[Ident, ...]:
        """The same in the order in which they were written."""
        return tuple(self._rows)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """What keys of such rows are called."""
        return frozenset(kind for kind, _ in self._rows)

    def of_kind(self, kind: str) -> frozenset[Ident]:
        """Those of one kind."""
        return frozenset(ident for ident in self._rows if ident[0] == kind)

    def called(self, words: Collection[str]) -> frozenset[Ident]:
        """Those of kinds that one of some words, as keys, is a part of the name of."""
        return frozenset(ident for ident in self._rows if not nouns_of(ident[0]).isdisjoint(words))

    def about(self, rows: Collection[Ident]) -> frozenset[Ident]:
        """Those of some rows, and those that refer to one of them."""
        return frozenset(
            ident
            for ident in self._rows
            if ident in rows or not self._shown.rows[ident].refers.isdisjoint(rows)
        )

    def last(self, ident: Ident) -> Iterator[tuple[str, Any]]:
        """What calls left of one of them at last, with its columns; nothing of a row that none wrote."""
        yield from self._rows[ident][-1].items() if ident in self._rows else ()

    def numbers(self, idents: Iterable[Ident]) -> frozenset[Cell]:
        """The numbers that some of them hold, keys apart; amounts are in cents."""
        return frozenset(
            value
            for column, value in self.cells(idents)
            if type(value) in (int, float) and column.rpartition("_")[2] not in _NO_VALUES
        )

    def amounts(self, idents: Iterable[Ident]) -> frozenset[int]:
        """The amounts in cents that some of them hold, with the sum of each column."""
        columns: dict[str, list[int]] = {}
        for column, value in self.cells(idents):
            if type(value) is int and column.endswith("_cents"):
                columns.setdefault(column, []).append(value)
        return frozenset((*(v for values in columns.values() for v in values), *map(sum, columns.values())))

    def cells(self, idents: Iterable[Ident]) -> Iterator[tuple[str, Any]]:
        """The values of some of them with their columns."""
        for ident in idents:
            for row in self._rows.get(ident, ()):
                yield from row.items()
