"""Result rows: what the results of an episode's calls tell of each row, taken in one call after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

from synthesis.reading.computed import cached_property
from synthesis.reading.document import Phrase
from synthesis.reading.shown_row import (
    ID,
    KEYS,
    Ident,
    ShownColumn,
    ShownList,
    ShownRow,
    ShownShape,
    composed_name,
    is_key,
    shape_of,
)
from synthesis.reading.words import atoms, key
from synthesis.reading.world_rows import WorldRows

_KEYLESS = ""
"""Kind of the objects that have no key."""
_REFERENCE = "reference"
"""What calls a row by what somebody else calls it."""
_MOST_OBJECTS = 2_000
_MOST_NEIGHBOURS = 200
_LONGEST_NAME = 60
_SHORTEST_NAME = 3
_PAIR = 2
_DEEPEST = 4
_ITEMS, _CENTS = "items", "_cents"
_SCALARS = frozenset((int, str, float, bool))


class ResultRows:
    """The rows that results tell of.

    Args:
        values: Arguments and result of each call, in order.
        world: The world's rows: their tables tell what a plain `id` is the key of.
    """

    def __init__(self, values: Sequence[Any], world: WorldRows) -> None:
        self._world = world
        self._codes = world.code_columns - {_REFERENCE}
        self.rows: dict[Ident, ShownRow] = {}
        self._kinds: dict[str, str] = {}
        """By table: what its rows are called."""
        self._kind_names: dict[str, str] = {}
        """By name of a key: what the rows of that key are called."""
        self.lists: list[ShownList] = []
        self.called: set[Ident] = set()
        """The rows that calls were made for by their keys."""
        self._objects = 0
        self._taken: dict[bytes, Ident] = {}
        """By all that they hold: the objects that would tell nothing new of their rows, shown once more."""
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
    def columns(self) -> frozenset[str]:
        """The names of all columns."""
        return frozenset().union(*(row.cells for row in self.rows.values()))

    def _take_call(self, arguments: Mapping[str, Any], result: Any) -> None:
        asked = {(self._kind(name), value) for name, value in arguments.items() if is_key(name, value)}
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
        listed = ""
        for name, value in result.items():
            if name == "id" or type(value) is dict or is_key(name, value):
                return ""
            if _is_list_of_objects(value):
                if listed:
                    return ""
                listed = name
        return listed

    def _take_page(
        self, arguments: Mapping[str, Any], page: Mapping[str, Any], name: str, asked: Collection[Ident]
    ) -> None:
        """Take in a list of rows, and what is told of it as a whole."""
        rows = [self._take_listed(each, asked, name) for each in page[name] if isinstance(each, dict)]
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
        kind = self._kind_names.get(name)
        if kind is None:
            table = self._world.table_of(name)
            kind = self._kind_names[name] = self._kinds.setdefault(table, name) if table else name
        return kind

    def ident_under(self, name: str, value: int | str) -> Ident:
        """Which row a key under a name is of."""
        return self._kind(name), value

    def _row(self, ident: Ident) -> ShownRow:
        row = self.rows.get(ident)
        if row is None:
            row = self.rows[ident] = ShownRow(ident, defaultdict(list), set())
        return row

    def _take_listed(self, shown: Mapping[str, Any], asked: Collection[Ident], within: str) -> Ident | None:
        """Take in one object of a list, as it was taken in before where it holds the same: agents come across
        the same rows again and again."""
        content = _content(shown)
        ident = self._taken.get(content)
        if ident is None or self._objects >= _MOST_OBJECTS:
            objects, lists = self._objects, len(self.lists)
            ident = self._take(shown, asked, within=within)
            if self._objects == objects + 1 and len(self.lists) == lists:
                self._remember(content, ident, shown)
            return ident
        self._objects += 1
        for other in asked:
            self._join(self.rows[ident], other)
        return ident

    def _remember(self, content: bytes, ident: Ident | None, shown: Mapping[str, Any]) -> None:
        """Note the row of an object that has its own key; whose a plain `id` is depends on what was asked."""
        if content and ident is not None and ident[0] != _KEYLESS and "id" not in shown:
            self._taken[content] = ident

    def _take(
        self, shown: Mapping[str, Any], asked: Collection[Ident], depth: int = 0, within: str = ""
    ) -> Ident | None:
        """Take in one object, those within it included; None where there are too many."""
        self._objects += 1
        if self._objects > _MOST_OBJECTS:
            return None
        shape = shape_of(tuple(shown))
        ident: Ident = self._key_of(shown, shape, asked, within) or (_KEYLESS, self._objects)
        if ident[0] == _KEYLESS and not asked:
            self.called.add(ident)
        row = self._row(ident)
        self._take_cells(row, shown, shape, "", depth)
        for other in asked:
            self._join(row, other)
        return row.ident

    def _key_of(
        self, shown: Mapping[str, Any], shape: ShownShape, asked: Collection[Ident] = (), within: str = ""
    ) -> Ident | None:
        """Which row an object shows: by its plain `id`, the key of the table that has most of its columns, or
        its first one; None where it has none."""
        own = shown.get("id") if shape.has_id else None
        if isinstance(own, int | str) and not isinstance(own, bool):
            kind = self._kind_with(shape.names, within)
            called_by = (each for each in asked if each[1] == own and each[0] not in shown)
            return (kind, own) if kind else next(called_by, ("id", own))
        keyed = [name for name in shape.keyed if type(shown[name]) in KEYS]
        if len(keyed) > 1:
            table = self._world.table_with(shape.names.difference(keyed))
            keyed = [name for name in keyed if table and self._world.table_of(name) == table] or keyed
        return (self._kind(keyed[0]), shown[keyed[0]]) if keyed else None

    def _kind_with(self, columns: frozenset[str], within: str) -> str:
        """What rows with a plain `id` are called: by the name of their list, else by their columns."""
        table = self._world.table_of(f"{within}{ID}") if within else ""
        table = table or self._world.table_with(columns)
        return self._kinds.setdefault(table, f"{table}{ID}") if table else ""

    def _take_cells(
        self, row: ShownRow, shown: Mapping[str, Any], shape: ShownShape, within: str, depth: int
    ) -> None:
        cells, ident, codes = row.cells, row.ident, self._codes
        if shape.counted and not within and (code := composed_name(shown, shape.counted)):
            self._name(code, ident)
        for column, value in zip(shape.columns, shown.values(), strict=True):
            kind = type(value)
            if kind not in _SCALARS:
                if depth < _DEEPEST and value:
                    self._take_nested(row, column.name, value, depth)
            elif column.refers and kind in KEYS:
                self._take_key(row, column, value, shown)
            elif column.name != "id" or within or value != ident[1]:
                known = cells[column.name]
                if value not in known:
                    known.append(value)
                is_name = kind is str and not within and (column.names or column.name in codes)
                if is_name and column.key not in shown:
                    self._name(value, ident)

    def _take_nested(self, row: ShownRow, column: str, value: Any, depth: int) -> None:
        """Take in what a row has under a column: another row, more of its own cells, or rows."""
        if type(value) is dict:
            content = _content(value)
            inner = self._taken.get(content)
            if inner is None:
                inner = self._take_inner(row, column, value, depth)
                if content.rfind(b"{") == 0 and b"[" not in content:
                    self._remember(content, inner, value)
            if inner is not None:
                self._join(row, inner)
        elif type(value) is list:
            self._take_list(row, column, value[:_MOST_NEIGHBOURS], depth)

    def _take_inner(self, row: ShownRow, column: str, value: Mapping[str, Any], depth: int) -> Ident | None:
        """Take in an object within a row: another row, or more of its own cells."""
        shape = shape_of(tuple(value))
        inner = self._key_of(value, shape, within=column)
        if inner is not None:
            self._take_cells(self._row(inner), value, shape, "", depth + 1)
        else:
            self._take_cells(row, value, shape, column, depth + 1)
        return inner

    def _take_list(self, row: ShownRow, column: str, values: Sequence[Any], depth: int) -> None:
        """Take in the rows that a row has under a column."""
        idents: list[Ident] = []
        for each in values:
            if isinstance(each, dict):
                ident = self._take(each, (row.ident,), depth + 1, within=column)
                if ident is None:
                    self._take_cells(row, each, shape_of(tuple(each)), column, depth + 1)
                else:
                    idents.append(ident)
        if idents:
            self.lists.append(ShownList({column: row.ident}, idents, len(idents)))

    def _take_key(self, row: ShownRow, column: ShownColumn, value: Any, shown: Mapping[str, Any]) -> None:
        """Take in a key: which row is referred to, and what it is called."""
        ident = (self._kind(column.name), value)
        if ident == row.ident:
            return
        other = self._row(ident)
        row.refers.add(ident)
        name = shown.get(column.title)
        if isinstance(name, str):
            other.add("name", name)
            self._name(name, ident)

    def _name(self, text: str, ident: Ident) -> None:
        if _SHORTEST_NAME <= len(text) <= _LONGEST_NAME:
            phrase = _phrase(text)
            if phrase and len(idents := self._names[phrase]) < _MOST_NEIGHBOURS:
                idents.add(ident)

    def _named(self, text: str) -> Collection[Ident]:
        return self._names.get(_phrase(text), ()) if len(text) <= _LONGEST_NAME else ()

    def _join(self, row: ShownRow, other: Ident) -> None:
        if other != row.ident:
            row.refers.add(other)
            self._row(other)

    def _link_codes(self) -> None:
        """Join rows that hold another's code to it, or its name under its kind: the fee of rental ER-3607,
        the referral whose department is Cardiology; first names name rows too."""
        kinds = {_noun(kind.removesuffix(ID)): kind for kind, _ in self.rows if kind.endswith(ID)}
        by_column = {column: kinds.get(_noun(column)) for column in self.columns}
        named: dict[str, Collection[Ident]] = {}
        for row in list(self.rows.values()):
            for column, values in row.cells.items():
                kind = by_column[column]
                for value in values:
                    if type(value) is not str:
                        continue
                    others = named.get(value)
                    if others is None:
                        others = named[value] = self._named(value)
                    for other in others:
                        if other[0] == kind or any(map(str.isdigit, value)):
                            self._join(row, other)
            first, last = row.cells.get("first_name"), row.cells.get("last_name")
            if first and last:
                self._name(f"{first[0]} {last[0]}", row.ident)


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _content(shown: Mapping[str, Any]) -> bytes:
    """All that an object holds, in its order; b"" where that is no JSON."""
    try:
        return orjson.dumps(shown)
    except TypeError:
        return b""


@lru_cache(maxsize=16_384)
def _phrase(text: str) -> Phrase:
    return atoms(text)


@lru_cache(maxsize=4_096)
def _noun(column: str) -> Phrase:
    """What a column is called after, in the singular."""
    return tuple(map(key, atoms(column.replace("_", " "))))
