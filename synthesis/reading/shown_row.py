"""Shown row: what results show of one row, what its columns are called after, and lists of such rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from synthesis.reading.document import Phrase

Ident = tuple[str, int | str]
"""Which row an object shows: the name of its key and the key."""
Cell = str | int | float
ID = "_id"
"""What names of keys end in."""
KEYS = frozenset((int, str))
"""Types of keys."""
_COUNTING, _MOST_COUNTED = frozenset(("number", "no", "position", "column", "seat", "place")), 1_000
_NAMES = ("name", "number", "title", "code", "reference", "label")


class ShownColumn(NamedTuple):
    """What a column's name tells."""

    name: str
    refers: bool
    """Whether its values are keys."""
    title: str
    """The column that names the row which such a key refers to."""
    key: str
    """The column of the key of a row that this one names."""
    names: bool
    """Whether its texts name the row that they stand in."""


@lru_cache(maxsize=4_096)
def column_of(name: str) -> ShownColumn:
    """What a name of a column tells."""
    is_name = name != "reference" and name.rpartition("_")[2] in _NAMES
    return ShownColumn(name, name.endswith(ID), name.removesuffix(ID), f"{name}{ID}", is_name)


def is_key(name: str, value: Any) -> bool:
    """Whether a value under a name is the key of a row."""
    return type(value) in KEYS and column_of(name).refers


@dataclass(slots=True)
class ShownRow:
    """What results show of one row, before and after it was changed."""

    ident: Ident
    cells: dict[str, list[Cell]] = field(default_factory=lambda: defaultdict(list))
    refers: set[Ident] = field(default_factory=set)
    """Rows that it refers to."""

    def add(self, column: str, value: Cell) -> None:
        """Take in a value of a column."""
        known = self.cells[column]
        if value not in known:
            known.append(value)


@dataclass(slots=True, frozen=True)
class Named:
    """Words of a text with the rows that they name."""

    phrase: Phrase
    first: int
    last: int
    rows: frozenset[Ident]


@dataclass(slots=True)
class ShownList:
    """Rows that were listed together, those of further pages included."""

    asked: Mapping[str, Any]
    """What they were asked by."""
    idents: list[Ident]
    total: int
    """How many there are in all."""

    def goes_on_in(self, asked: Mapping[str, Any], idents: Sequence[Ident], total: int) -> bool:
        """Whether another list is a further page: of as many in all, asked by numbers that differ alone."""
        if self.total != total or total < len(self.idents) + len(idents):  # nearly always
            return False
        names = self.asked.keys() | asked.keys()
        different = [name for name in names if self.asked.get(name) != asked.get(name)]
        return (
            bool(self.idents and idents and different)
            and all(not is_key(name, asked.get(name, self.asked.get(name))) for name in different)
            and all(isinstance(each.get(name, 0), int) for name in different for each in (self.asked, asked))
            and set(self.idents).isdisjoint(idents)
        )


def composed_name(shown: Mapping[str, Any]) -> str:
    """What a row is called that has a letter and a number: "B3" of row B, seat 3; "" where it has none."""
    letters = [v for v in shown.values() if type(v) is str and len(v) == 1 and v.isalpha() and v.isupper()]
    numbers = [
        value
        for name, value in shown.items()
        if type(value) is int and name.rpartition("_")[2] in _COUNTING and 0 < value < _MOST_COUNTED
    ]
    return f"{letters[0]}{numbers[0]}" if len(letters) == len(numbers) == 1 else ""
