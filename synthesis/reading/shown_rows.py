"""Shown rows: what the results of an episode's calls show of each row, and which rows belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from synthesis.reading.document import ParsedText, Phrase, PhraseIndex, phrase_index
from synthesis.reading.shown_row import (
    ID,
    KEYS,
    Cell,
    Ident,
    Named,
    ShownColumn,
    ShownList,
    ShownRow,
    column_of,
    composed_name,
    is_key,
)
from synthesis.reading.words import atoms, key, keys
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
_NUMBERING = frozenset(("no", ".", "number", "#", "id", ":"))
_DEEPEST = 4
_HOPS = 2
_DAY, _TIME = 10, 16
_ITEMS, _CENTS = "items", "_cents"
_SCALARS = frozenset((int, str, float, bool))


class ShownRows:
    """The rows that results show.

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
        self.lists: list[ShownList] = []
        self.called: set[Ident] = set()
        """The rows that calls were made for by their keys."""
        self._objects = 0
        self._around: dict[frozenset[Ident], frozenset[Ident]] = {}
        self._holders: dict[Ident, frozenset[Ident]] = {}
        self._names: dict[Phrase, set[Ident]] = defaultdict(set)
        self._named_in: tuple[ParsedText, Sequence[Named]] | None = None
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

    def ident_of(self, shown: Mapping[str, Any]) -> Ident | None:
        """Which row an object shows; None where it has no key."""
        ident = self._key_of(shown)
        return ident if ident in self.rows else None

    def names_in(self, document: ParsedText) -> Sequence[Named]:
        """What a text names, in its order; a part of a name where no other name has it.

        It is looked for once: each of the text's numbers is held against it.
        """
        if self._named_in is None or self._named_in[0] is not document:
            self._named_in = document, self._names_of(document)
        return self._named_in[1]

    def _names_of(self, document: ParsedText) -> list[Named]:
        whole = [Named(*each, self.named(each[0])) for each in document.phrases(self.name_index)]
        taken = {at for each in whole for at in range(each.first, each.last)}
        parts = (
            Named((token.text,), at, at + 1, self.named(self._parts[token.text]))
            for at, token in enumerate(document.tokens)
            if at not in taken and (token.capital or token.kind == "code") and token.text in self._parts
        )
        return sorted((*whole, *parts, *self._numbered(document)), key=lambda each: each.first)

    def _numbered(self, document: ParsedText) -> Iterator[Named]:
        """Rows by what they are called and their key: "crate 2030", "order no. 803"."""
        for at, token in enumerate(document.tokens):
            if not at or not token.values or len(token.text) < _SHORTEST_NAME or not token.text.isdecimal():
                continue
            before = [
                each.key for each in document.tokens[max(0, at - 3) : at] if each.text not in _NUMBERING
            ]
            kind = self._by_noun.get(before[-1], "") if before else ""
            if (kind, int(token.text)) in self.rows:
                first = at - 1
                yield Named(
                    (document.tokens[first].text, token.text),
                    first,
                    at + 1,
                    frozenset(((kind, int(token.text)),)),
                )

    @cached_property
    def _by_noun(self) -> dict[str, str]:
        """The kinds of rows by the key of the last word of what they are called, where one kind has it."""
        kinds: dict[str, set[str]] = {}
        for kind in dict.fromkeys(kind for kind, _ in self.rows):
            kinds.setdefault(key(kind.removesuffix(ID).rpartition("_")[2]), set()).add(kind)
        return {noun: each.pop() for noun, each in kinds.items() if len(each) == 1}

    def alone(self, named: Named) -> frozenset[Ident]:
        """The rows of a name itself, where a list has it beside others."""
        known = self.named(named.phrase)
        part = self._parts.get(" ".join(named.phrase))
        if known or part is None:
            return known or named.rows
        return self.named(part)

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
        """Which row an object shows: by its plain `id`, the key of the table that has most of its columns, or
        its first one; None where it has none."""
        own = shown.get("id")
        if isinstance(own, int | str) and not isinstance(own, bool):
            kind = self._kind_with(frozenset(map(str, shown)), within)
            called_by = (each for each in asked if each[1] == own and each[0] not in shown)
            return (kind, own) if kind else next(called_by, ("id", own))
        keyed = [name for name, value in shown.items() if is_key(name, value)]
        if len(keyed) > 1:
            table = self._world.table_with(frozenset(map(str, shown)) - frozenset(keyed))
            keyed = [name for name in keyed if table and self._world.table_of(name) == table] or keyed
        return (self._kind(keyed[0]), shown[keyed[0]]) if keyed else None

    def _kind_with(self, columns: frozenset[str], within: str) -> str:
        """What rows with a plain `id` are called: by the name of their list, else by their columns."""
        table = self._world.table_of(f"{within}{ID}") if within else ""
        table = table or self._world.table_with(columns)
        return self._kinds.setdefault(table, f"{table}{ID}") if table else ""

    def _take_cells(self, row: ShownRow, shown: Mapping[str, Any], within: str, depth: int = 0) -> None:
        cells = row.cells
        if not within and (code := composed_name(shown)):
            self._name(code, row.ident)
        for name, value in shown.items():
            type_of_value = type(value)
            if type_of_value in _SCALARS:
                column = column_of(name)
                if column.refers and type_of_value in KEYS:
                    self._take_key(row, column, value, shown)
                elif name != "id" or within or value != row.ident[1]:
                    known = cells[name]
                    if value not in known:
                        known.append(value)
                    is_name = column.names or name in self._codes
                    if is_name and type_of_value is str and not within and column.key not in shown:
                        self._name(value, row.ident)
            elif depth < _DEEPEST:
                self._take_nested(row, name, value, depth)

    def _take_nested(self, row: ShownRow, column: str, value: Any, depth: int) -> None:
        """Take in what a row has under a column: another row, more of its own cells, or rows."""
        if type(value) is dict:
            inner = self._key_of(value, within=column)
            if inner is not None:
                self._take_cells(self._row(inner), value, "", depth + 1)
                self._join(row, inner)
            else:
                self._take_cells(row, value, column, depth + 1)
        elif type(value) is list:
            self._take_list(row, column, value[:_MOST_NEIGHBOURS], depth)

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
            if phrase and len(self._names[phrase]) < _MOST_NEIGHBOURS:
                self._names[phrase].add(ident)

    def _join(self, row: ShownRow, other: Ident) -> None:
        if other != row.ident:
            row.refers.add(other)
            self._row(other)

    def _link_codes(self) -> None:
        """Join rows that hold another's code to it, or its name under its kind: the fee of rental ER-3607,
        the referral whose department is Cardiology; first names name rows too."""
        kinds = {_noun(kind.removesuffix(ID)): kind for kind, _ in self.rows if kind.endswith(ID)}
        by_column = {column: kinds.get(_noun(column)) for column in self.columns}
        names = self._names
        for row in list(self.rows.values()):
            for column, values in row.cells.items():
                kind = by_column[column]
                for value in values:
                    if type(value) is not str or len(value) > _LONGEST_NAME:
                        continue
                    for other in names.get(_phrase(value), ()):
                        if other[0] == kind or any(map(str.isdigit, value)):
                            self._join(row, other)
            first, last = row.cells.get("first_name"), row.cells.get("last_name")
            if first and last:
                self._name(f"{first[0]} {last[0]}", row.ident)


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
