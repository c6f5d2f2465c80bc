"""Shown rows: what the results of an episode's calls show of each row, and which rows belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from synthesis.reading.document import ParsedText, Phrase, PhraseIndex, phrase_index
from synthesis.reading.words import atoms, keys

Ident = tuple[str, int | str]
"""Which row an object shows: the name of its key and the key."""
Cell = str | int | float

_ID = "_id"
_KEYLESS = ""
"""Kind of the objects that have no key."""
_MOST_OBJECTS = 2_000
_MOST_NEIGHBOURS = 200
_LONGEST_NAME = 60
_LONGEST_TEXT = 80
_SHORTEST_NAME = 3
_NAMES = ("name", "number", "title", "code", "reference", "label")
_PAIR = 2
_DEEPEST = 4
_HOPS = 2
_DAY, _TIME = 10, 16


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


class ShownRows:
    """The rows that results show.

    Args:
        values: Arguments and result of each call, in order.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.rows: dict[Ident, ShownRow] = {}
        self.lists: list[tuple[Mapping[str, Any], list[Ident], int]] = []
        """The lists that results have: what they were asked by, their rows, and how many there are in all."""
        self.called: set[Ident] = set()
        """The rows that calls were made for by their keys."""
        self._objects = 0
        self._around: dict[frozenset[Ident], frozenset[Ident]] = {}
        self._holders: dict[Ident, frozenset[Ident]] = {}
        self._names: dict[Phrase, set[Ident]] = defaultdict(set)
        for each in values:
            if isinstance(each, list | tuple) and len(each) == _PAIR and isinstance(each[0], dict):
                self._take_call(each[0], each[1])
            else:
                self._take_call({}, each)
        self._link_codes()

    @property
    def complete(self) -> bool:
        """Whether all objects are read."""
        return self._objects <= _MOST_OBJECTS

    @cached_property
    def name_index(self) -> PhraseIndex:
        """The names and codes of the rows, to be looked for in a text."""
        return phrase_index(tuple(" ".join(phrase) for phrase in self._names))

    def named(self, phrase: Phrase) -> frozenset[Ident]:
        """The rows of a name or a code."""
        return frozenset(self._names.get(phrase, ()))

    def names_in(self, document: ParsedText) -> Iterator[Named]:
        """What a text names, in its order; a part of a name where no other name has it."""
        whole = [Named(*each, self.named(each[0])) for each in document.phrases(self.name_index)]
        taken = {at for each in whole for at in range(each.first, each.last)}
        parts = (
            Named((token.text,), at, at + 1, self.named(self._parts[token.text]))
            for at, token in enumerate(document.tokens)
            if at not in taken and (token.capital or token.kind == "code") and token.text in self._parts
        )
        yield from sorted((*whole, *parts), key=lambda each: each.first)

    @cached_property
    def _parts(self) -> dict[str, Phrase]:
        """Names by their first or last word, where only one of them has it."""
        matches: dict[str, set[Phrase]] = {}
        for phrase in self._names:
            if len(phrase) > 1 and phrase[0].isalpha() and len(phrase[0]) >= _SHORTEST_NAME:
                for word in (phrase[0], phrase[-1]):
                    matches.setdefault(word, set()).add(phrase)
        return {word: phrases.pop() for word, phrases in matches.items() if len(phrases) == 1}

    def holders(self, ident: Ident) -> frozenset[Ident]:
        """A row with those that refer to it, and those that refer to them: what may be told of it."""
        if ident not in self._holders:
            matches, edge = {ident}, {ident}
            for _ in range(_HOPS):
                edge = set().union(*(self._referring.get(each, ()) for each in edge)) - matches
                matches |= edge
            self._holders[ident] = frozenset(matches)
        return self._holders[ident]

    def holding(self, idents: Iterable[Ident]) -> frozenset[Ident]:
        """The same of several rows."""
        return frozenset().union(*map(self.holders, idents))

    def owned(self, ident: Ident) -> frozenset[Ident]:
        """A row with those that it refers to."""
        matches, edge = {ident}, {ident}
        for _ in range(_HOPS):
            edge = {other for each in edge if each in self.rows for other in self.rows[each].refers} - matches
            matches |= edge
        return frozenset(matches)

    def cells(self, idents: Iterable[Ident]) -> Iterator[tuple[str, Cell]]:
        """The values of some rows with their columns."""
        for ident in idents:
            row = self.rows.get(ident)
            if row is not None:
                for column, values in row.cells.items():
                    for value in values:
                        yield column, value

    def around(self, rows: frozenset[Ident]) -> frozenset[Ident]:
        """Some rows, those that may be told of them, and what all of these refer to."""
        if rows not in self._around:
            holders = self.holding(rows)
            self._around[rows] = frozenset(other for ident in holders for other in self.owned(ident))
        return self._around[rows]

    @cached_property
    def _referring(self) -> dict[Ident, set[Ident]]:
        referring: dict[Ident, set[Ident]] = {}
        for ident, row in self.rows.items():
            for other in row.refers:
                referring.setdefault(other, set()).add(ident)
        return referring

    @cached_property
    def by_value(self) -> dict[Cell, set[Ident]]:
        """The rows by their values; of a day with a time, by the day and by the time, too."""
        matches: dict[Cell, set[Ident]] = {}
        for ident, row in self.rows.items():
            for values in row.cells.values():
                for value in values:
                    for each in _parts(value):
                        matches.setdefault(each, set()).add(ident)
        return matches

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names of all columns."""
        return frozenset().union(*(row.cells for row in self.rows.values()))

    @cached_property
    def column_keys(self) -> frozenset[frozenset[str]]:
        """The same as the keys of their words."""
        return frozenset(keys(column.replace("_", " ")) for column in self.columns)

    @cached_property
    def days(self) -> frozenset[str]:
        """The days among the values, as ISO texts."""
        return frozenset(
            value
            for value in self.by_value
            if isinstance(value, str) and len(value) == _DAY and value[4] == value[7] == "-"
        )

    def _take_call(self, arguments: Mapping[str, Any], result: Any) -> None:
        asked = {(name, value) for name, value in arguments.items() if _is_key(name, value)}
        self.called |= asked
        for name, value in asked:
            self._row((name, value))
        if isinstance(result, dict):
            listed = next((v for v in result.values() if _is_list_of_objects(v)), None)
            if listed is not None or isinstance(result.get("items"), list):
                rows = [self._take(each, asked) for each in listed or () if isinstance(each, dict)]
                idents = [ident for ident in rows if ident is not None]
                total = result.get("total")
                count = total if type(total) is int else len(rows)
                self.lists.append((arguments, idents, count))
                return
            ident = self._take(result, asked)
            if ident is not None:
                for name, value in arguments.items():
                    if isinstance(value, str | int | float) and not isinstance(value, bool):
                        self.rows[ident].add(name, value)
        elif _is_list_of_objects(result):
            rows = [self._take(each, asked) for each in result if isinstance(each, dict)]
            self.lists.append((arguments, [ident for ident in rows if ident is not None], len(rows)))

    def _row(self, ident: Ident) -> ShownRow:
        if ident not in self.rows:
            self.rows[ident] = ShownRow(ident)
        return self.rows[ident]

    def _take(self, shown: Mapping[str, Any], asked: Collection[Ident], depth: int = 0) -> Ident | None:
        """Take in one object, those within it included; None where there are too many."""
        self._objects += 1
        if self._objects > _MOST_OBJECTS:
            return None
        called_by = (key for key in asked if shown.get("id") == key[1])
        ident = next(called_by, None) or _key_of(shown) or (_KEYLESS, self._objects)
        if ident[0] == _KEYLESS and not asked:
            self.called.add(ident)
        row = self._row(ident)
        self._take_cells(row, shown, "", depth)
        for other in asked:
            self._join(row, other)
        return row.ident

    def _take_cells(self, row: ShownRow, shown: Mapping[str, Any], within: str, depth: int = 0) -> None:
        for name, value in shown.items():
            column = str(name)
            if isinstance(value, dict | list) and depth >= _DEEPEST:
                continue
            if isinstance(value, dict):
                inner = _key_of(value)
                if inner is not None:
                    self._take_cells(self._row(inner), value, "", depth + 1)
                    self._join(row, inner)
                else:
                    self._take_cells(row, value, column, depth + 1)
            elif isinstance(value, list):
                for each in value[:_MOST_NEIGHBOURS]:
                    if isinstance(each, dict):
                        ident = self._take(each, (row.ident,), depth + 1)
                        if ident is None:
                            self._take_cells(row, each, column, depth + 1)
            elif isinstance(value, str | int | float):
                self._take_cell(row, column, value, shown, within)

    def _take_cell(
        self, row: ShownRow, column: str, value: Cell, shown: Mapping[str, Any], within: str
    ) -> None:
        if _is_key(column, value) and not isinstance(value, float):
            if (column, value) != row.ident:
                other = self._row((column, value))
                self._join(row, other.ident)
                name = shown.get(column.removesuffix(_ID))
                if isinstance(name, str):
                    other.add("name", name)
                    self._name(name, other.ident)
            return
        row.add(column, value)
        is_own = not within and column + _ID not in shown and column != "reference"
        if is_own and isinstance(value, str) and column.rpartition("_")[2] in _NAMES:
            self._name(value, row.ident)

    def _name(self, text: str, ident: Ident) -> None:
        if _SHORTEST_NAME <= len(text) <= _LONGEST_NAME:
            phrase = _phrase(text)
            if phrase and len(self._names[phrase]) < _MOST_NEIGHBOURS:
                self._names[phrase].add(ident)

    def _join(self, row: ShownRow, other: Ident) -> None:
        if other != row.ident:
            row.refers.add(other)
            self._row(other)

    def _link_codes(self) -> None:
        """Join rows that hold another's code to it, or its name under its kind: the fee of rental ER-3607,
        the referral whose department is Cardiology; first names name rows too."""
        kinds = {kind.removesuffix(_ID): kind for kind, _ in self.rows if kind.endswith(_ID)}
        for row in list(self.rows.values()):
            for column in row.cells.keys() & kinds.keys():
                for name in row.cells[column]:
                    for other in self._names.get(_phrase(name), ()) if isinstance(name, str) else ():
                        if other[0] == kinds[column]:
                            self._join(row, other)
            texts = {v for values in row.cells.values() for v in values if isinstance(v, str)}
            for text in texts:
                if len(text) <= _LONGEST_NAME and any(map(str.isdigit, text)):
                    for other in self._names.get(_phrase(text), ()):
                        self._join(row, other)
            first, last = row.cells.get("first_name"), row.cells.get("last_name")
            if first and last:
                self._name(f"{first[0]} {last[0]}", row.ident)


def _is_key(name: str, value: Any) -> bool:
    return name.endswith(_ID) and isinstance(value, int | str) and not isinstance(value, bool)


def _key_of(shown: Mapping[str, Any]) -> Ident | None:
    """An object's first key; None where it has none."""
    return next(((str(name), value) for name, value in shown.items() if _is_key(str(name), value)), None)


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


@lru_cache(maxsize=16_384)
def _phrase(text: str) -> Phrase:
    return atoms(text)


def _parts(value: Cell) -> Iterator[Cell]:
    yield value
    if isinstance(value, str) and len(value) >= _TIME and value[4] == value[7] == "-" and value[_DAY] in "T ":
        yield value[:_DAY]
        yield value[_DAY + 1 : _TIME]
