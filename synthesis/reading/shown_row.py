"""Shown row: what results show of one row, what its columns are called after, and lists of such rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from synthesis.reading.document import Phrase
from synthesis.reading.words import key, keys

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


@lru_cache(maxsize=1_024)
def nouns_of(kind: str) -> frozenset[str]:
    """Keys of the words that rows with a key of that name are called by: "tram" and "repair"."""
    return keys(kind.removesuffix(ID).replace("_", " "))


@lru_cache(maxsize=1_024)
def noun_of(kind: str) -> str:
    """Key of the last of these words, which alone may mean such a row: "the repair"."""
    return key(kind.removesuffix(ID).rpartition("_")[2])


class ShownShape(NamedTuple):
    """What the names of an object's values tell: results show many objects that have the same ones."""

    columns: tuple[ShownColumn, ...]
    """What each name tells, in the object's order."""
    names: frozenset[str]
    has_id: bool
    keyed: tuple[str, ...]
    """The names of keys."""
    counted: tuple[str, ...]
    """The names of what may be one of a few that are numbered, as seats are."""


@lru_cache(maxsize=512)
def shape_of(names: tuple[str, ...]) -> ShownShape:
    """What the names of an object's values tell."""
    return ShownShape(
        tuple(map(column_of, names)),
        frozenset(names),
        "id" in names,
        tuple(name for name in names if column_of(name).refers),
        tuple(name for name in names if name.rpartition("_")[2] in _COUNTING),
    )


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


def composed_name(shown: Mapping[str, Any], counted: Sequence[str]) -> str:
    """What a row is called that has a letter and a number: "B3" of row B, seat 3; "" where it has none.

    Args:
        shown: Its values.
        counted: The names of those that may be such a number, see `ShownShape.counted`.
    """
    numbers = [shown[name] for name in counted if _is_of_few(shown[name])]
    if len(numbers) != 1:
        return ""
    letters = [v for v in shown.values() if type(v) is str and len(v) == 1 and v.isalpha() and v.isupper()]
    return f"{letters[0]}{numbers[0]}" if len(letters) == 1 else ""


def _is_of_few(value: Any) -> bool:
    return type(value) is int and 0 < value < _MOST_COUNTED
