"""Shown rows: what the results of an episode's calls show of each row, and which rows belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from synthesis.reading.document import ParsedText, Phrase, PhraseIndex, phrase_index
from synthesis.reading.words import atoms, key, keys
from synthesis.reading.world_rows import WorldRows

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
_ITEMS, _CENTS = "items", "_cents"


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
        names = self.asked.keys() | asked.keys()
        different = [name for name in names if self.asked.get(name) != asked.get(name)]
        return (
            self.total == total >= len(self.idents) + len(idents)
            and bool(self.idents and idents and different)
            and all(not _is_key(name, asked.get(name, self.asked.get(name))) for name in different)
            and all(isinstance(each.get(name, 0), int) for name in different for each in (self.asked, asked))
            and set(self.idents).isdisjoint(idents)
        )


class ShownRows:
    """The rows that results show.

    Args:
        values: Arguments and result of each call, in order.
        world: The world's rows: their tables tell what a plain `id` is the key of.
    """

    def __init__(self, values: Sequence[Any], world: WorldRows) -> None:
        self._world = world
        self.rows: dict[Ident, ShownRow] = {}
        self._kinds: dict[str, str] = {}
        """By table: what its rows are called."""
        self.lists: list[ShownList] = []
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
        phrases = {each for phrase in self._names for each in (phrase, _several(phrase))}
        return phrase_index(tuple(" ".join(phrase) for phrase in phrases))

    def named(self, phrase: Phrase) -> frozenset[Ident]:
        """The rows of a name or a code, also where it is in the plural."""
        one = (*phrase[:-1], phrase[-1].removesuffix("s"))
        return frozenset(self._names.get(phrase, set()) or self._names.get(one, set()))

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
        asked = {(self._kind(name), value) for name, value in arguments.items() if _is_key(name, value)}
        self.called |= asked
        for ident in asked:
            self._row(ident)
        if isinstance(result, list):
            self._take_page(arguments, {_ITEMS: result}, _ITEMS, asked)
        elif isinstance(result, dict):
            name = self._page_in(result)
            if name:
                self._take_page(arguments, result, name, asked)
                return
            taken = self._take(result, asked)
            if taken is not None:
                for name, value in arguments.items():
                    if isinstance(value, str | int | float) and not isinstance(value, bool):
                        self.rows[taken].add(name, value)

    def _page_in(self, result: Mapping[str, Any]) -> str:
        """The name under which a result lists rows, where it is no row itself; "" where it is one."""
        if isinstance(result.get(_ITEMS), list):
            return _ITEMS
        listed = [name for name, value in result.items() if _is_list_of_objects(value)]
        is_row = any(name == "id" or _is_key(str(name), value) for name, value in result.items())
        return "" if len(listed) != 1 or is_row or any(map(_is_object, result.values())) else listed[0]

    def _take_page(
        self, arguments: Mapping[str, Any], page: Mapping[str, Any], name: str, asked: Collection[Ident]
    ) -> None:
        """Take in a list of rows, and what is told of it as a whole."""
        rows = [self._take(each, asked, within=name) for each in page[name] if isinstance(each, dict)]
        idents = [ident for ident in rows if ident is not None]
        total = page.get("total")
        count = total if type(total) is int else len(rows)
        before = next((each for each in self.lists if each.goes_on_in(arguments, idents, count)), None)
        if before is None:
            self.lists.append(ShownList(arguments, idents, count))
        else:
            before.idents += idents
        about = {column: value for column, value in page.items() if column not in (name, "total")}
        if any(column.endswith(_CENTS) for column in about):
            self._take(about, asked)

    def _kind(self, name: str) -> str:
        """What rows with a key of that name are called: the same for all names of one table's key."""
        table = self._world.table_of(name)
        return self._kinds.setdefault(table, name) if table else name

    def _row(self, ident: Ident) -> ShownRow:
        if ident not in self.rows:
            self.rows[ident] = ShownRow(ident)
        return self.rows[ident]

    def _take(
        self, shown: Mapping[str, Any], asked: Collection[Ident], depth: int = 0, within: str = ""
    ) -> Ident | None:
        """Take in one object, those within it included; None where there are too many."""
        self._objects += 1
        if self._objects > _MOST_OBJECTS:
            return None
        ident: Ident = self._key_of(shown, asked, within) or (_KEYLESS, self._objects)
        if ident[0] == _KEYLESS and not asked:
            self.called.add(ident)
        row = self._row(ident)
        self._take_cells(row, shown, "", depth)
        for other in asked:
            self._join(row, other)
        return row.ident

    def _key_of(
        self, shown: Mapping[str, Any], asked: Collection[Ident] = (), within: str = ""
    ) -> Ident | None:
        """Which row an object shows: by its plain `id`, else by its first key; None where it has neither."""
        own = shown.get("id")
        if isinstance(own, int | str) and not isinstance(own, bool):
            kind = self._kind_with(frozenset(map(str, shown)), within)
            called_by = (each for each in asked if each[1] == own and each[0] not in shown)
            return (kind, own) if kind else next(called_by, ("id", own))
        keys_of = ((str(name), value) for name, value in shown.items() if _is_key(str(name), value))
        return next(((self._kind(name), value) for name, value in keys_of), None)

    def _kind_with(self, columns: frozenset[str], within: str) -> str:
        """What rows with a plain `id` are called: by the name of their list, else by their columns."""
        table = self._world.table_of(f"{within}{_ID}") if within else ""
        table = table or self._world.table_with(columns)
        return self._kinds.setdefault(table, f"{table}{_ID}") if table else ""

    def _take_cells(self, row: ShownRow, shown: Mapping[str, Any], within: str, depth: int = 0) -> None:
        for name, value in shown.items():
            column = str(name)
            if isinstance(value, dict | list) and depth >= _DEEPEST:
                continue
            if isinstance(value, dict):
                inner = self._key_of(value, within=column)
                if inner is not None:
                    self._take_cells(self._row(inner), value, "", depth + 1)
                    self._join(row, inner)
                else:
                    self._take_cells(row, value, column, depth + 1)
            elif isinstance(value, list):
                self._take_list(row, column, value[:_MOST_NEIGHBOURS], depth)
            elif isinstance(value, str | int | float):
                self._take_cell(row, column, value, shown, within)

    def _take_list(self, row: ShownRow, column: str, values: Sequence[Any], depth: int) -> None:
        """Take in the rows that a row has under a column."""
        idents: list[Ident] = []
        for each in values:
            if isinstance(each, dict):
                ident = self._take(each, (row.ident,), depth + 1, within=column)
                if ident is None:
                    self._take_cells(row, each, column, depth + 1)
                else:
                    idents.append(ident)
        if idents:
            self.lists.append(ShownList({column: row.ident}, idents, len(idents)))

    def _take_cell(
        self, row: ShownRow, column: str, value: Cell, shown: Mapping[str, Any], within: str
    ) -> None:
        if column == "id" and not within and value == row.ident[1]:
            return
        if _is_key(column, value) and not isinstance(value, float):
            ident = (self._kind(column), value)
            if ident != row.ident:
                other = self._row(ident)
                self._join(row, ident)
                name = shown.get(column.removesuffix(_ID))
                if isinstance(name, str):
                    other.add("name", name)
                    self._name(name, ident)
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
        kinds = {_noun(kind.removesuffix(_ID)): kind for kind, _ in self.rows if kind.endswith(_ID)}
        for row in list(self.rows.values()):
            for column, kind in [(c, kinds[_noun(c)]) for c in row.cells if _noun(c) in kinds]:
                for name in row.cells[column]:
                    for other in self._names.get(_phrase(name), ()) if isinstance(name, str) else ():
                        if other[0] == kind:
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


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


@lru_cache(maxsize=16_384)
def _phrase(text: str) -> Phrase:
    return atoms(text)


@lru_cache(maxsize=4_096)
def _noun(column: str) -> Phrase:
    """What a column is called after, in the singular."""
    return tuple(map(key, atoms(column.replace("_", " "))))


def _several(phrase: Phrase) -> Phrase:
    """Several things of a name: "Deep Club Jackets"."""
    return (*phrase[:-1], f"{phrase[-1]}s")


def _parts(value: Cell) -> Iterator[Cell]:
    yield value
    if isinstance(value, str) and len(value) >= _TIME and value[4] == value[7] == "-" and value[_DAY] in "T ":
        yield value[:_DAY]
        yield value[_DAY + 1 : _TIME]
