"""World rows: the rows of a world as an answer may speak of them: by name, by code, with their states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from synthesis.reading.computed import cached_property
from synthesis.reading.document import Phrase, PhraseIndex, phrase_index
from synthesis.reading.words import atoms, key

Row = Mapping[str, Any]
Place = tuple[str, Any]
"""Where a row stands: its table and its key."""

_STATE = re.compile(r"[a-z][a-z_]{1,30}")
_CODE = re.compile(r"(?=[^ ]{0,30}[\d-])[A-Z][A-Z0-9/-]{2,30}")
_MOST_STATES = 12
_MOST_ROWS = 4_000
_LONGEST_NAME = 60
_YES, _NO = 1, 0
_OF_DAYS = ("_on", "_at")
_OPPOSITES = (("on", "off"), ("in", "out of"))
"""Beginnings of a state and of its contrary: on duty, off duty."""


class WorldRows:
    """The seed rows of a world.

    Args:
        tables: By name of a table, its rows; a row's key is its column `id`, or its first column.
    """

    def __init__(self, tables: Mapping[str, Sequence[Row]]) -> None:
        self._tables = {name: rows[:_MOST_ROWS] for name, rows in tables.items() if rows}
        self._columns: dict[str, str] = {}
        self._shapes: dict[frozenset[str], str] = {}

    @cached_property
    def rows(self) -> dict[Place, Row]:
        """All rows, by where they stand."""
        return {
            (name, row.get("id", next(iter(row.values()), None))): row
            for name, listed in self._tables.items()
            for row in listed
        }

    @cached_property
    def nouns(self) -> dict[Phrase, str]:
        """What one row of a table is called, as keys of its last words that no other table has."""
        nouns: dict[Phrase, str] = {}
        endings: dict[Phrase, int] = {}
        spoken = {name: tuple(map(key, atoms(name.replace("_", " ")))) for name in self._tables}
        by_table = {name: words for name, words in spoken.items() if words}
        for words in by_table.values():
            for size in range(1, len(words) + 1):
                endings[words[-size:]] = endings.get(words[-size:], 0) + 1
        for name, words in by_table.items():
            nouns |= {words[-size:]: name for size in range(1, len(words) + 1) if endings[words[-size:]] == 1}
            nouns[words] = name
        return nouns

    @cached_property
    def states(self) -> dict[Phrase, dict[tuple[str, str], Any]]:
        """The values of columns of states, as words, each with the columns that may have it."""
        states: dict[Phrase, dict[tuple[str, str], Any]] = {}
        for name, rows in self._tables.items():
            for column in rows[0]:
                for words, value in _states_of(column, [row.get(column) for row in rows]):
                    states.setdefault(atoms(words), {})[name, column] = value
        return states

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the words of its tables and states."""
        nouns = frozenset(noun for phrase in self.nouns for noun in phrase)
        return nouns | frozenset(key(word) for phrase in self.states for word in phrase)

    @cached_property
    def dated_verbs(self) -> frozenset[str]:
        """Keys of what columns of days tell the day of: "closed" of `closed_on`."""
        columns = {column for rows in self._tables.values() for column in rows[0]}
        return frozenset(key(column.partition("_")[0]) for column in columns if column.endswith(_OF_DAYS))

    @cached_property
    def code_columns(self) -> frozenset[str]:
        """Names of columns by whose codes rows are told apart: in each table that has it, all differ."""
        different: dict[str, bool] = {}
        for rows in self._tables.values():
            for column in rows[0]:
                values = [row.get(column) for row in rows if row.get(column) is not None]
                is_code = all(isinstance(value, str) and _CODE.fullmatch(value) for value in values)
                is_key = len(values) > 1 and is_code and len(set(values)) == len(values)
                different[column] = different.get(column, True) and is_key
        return frozenset(column for column, is_key in different.items() if is_key)

    @cached_property
    def state_index(self) -> PhraseIndex:
        """The same, to be looked for."""
        return phrase_index(tuple(" ".join(phrase) for phrase in self.states))

    @cached_property
    def named(self) -> dict[Phrase, set[Place]]:
        """The rows by their names and codes."""
        named: dict[Phrase, set[Place]] = {}
        for place, row in self.rows.items():
            for text in names_in(row):
                named.setdefault(atoms(text), set()).add(place)
        named.pop((), None)
        return named

    def alike(self, name: str) -> frozenset[str]:
        """The names in the columns that have a name."""
        columns = {
            (table, column)
            for (table, _), row in self.rows.items()
            for column, value in row.items()
            if value == name
        }
        return frozenset(
            str(row[column])
            for table, column in columns
            for row in self._tables[table]
            if row[column] != name
        )

    @cached_property
    def name_index(self) -> PhraseIndex:
        """The same, to be looked for."""
        return phrase_index(tuple(" ".join(phrase) for phrase in self.named))

    def place_of(self, shown: Row) -> Place | None:
        """Which row an object of a result shows: its first key says whose it is."""
        column = next(iter(shown), "")
        table = self.table_of(column)
        return (table, shown[column]) if table and type(shown[column]) is int else None

    def table_of(self, column: str) -> str:
        """The table whose key stands under a name; "" where there is none."""
        if column not in self._columns:
            self._columns[column] = self._table_of(column)
        return self._columns[column]

    def _table_of(self, column: str) -> str:
        """The table whose key stands under a name: waiting list entries for `entry_id`."""
        words = tuple(map(key, atoms(column.replace("_", " "))))
        if len(words) < 2 or words[-1] != key("id"):
            return ""
        tables = {table for noun, table in self.nouns.items() if noun[1 - len(words) :] == words[:-1]}
        return tables.pop() if len(tables) == 1 else self.nouns.get(words[:-1], "")

    def table_with(self, columns: frozenset[str]) -> str:
        """The table that has most of some columns; "" where two have as many, or none has half of them."""
        if columns not in self._shapes:
            alike = sorted(
                ((len(columns & rows[0].keys()), name) for name, rows in self._tables.items()), reverse=True
            )
            most, name = alike[0] if alike else (0, "")
            is_alone = len(alike) < 2 or alike[1][0] < most
            self._shapes[columns] = name if is_alone and 2 * most > len(columns) else ""
        return self._shapes[columns]

    def are_linked(self, one: Phrase, other: Phrase) -> bool:
        """Whether some row refers to both of two that have names: a booking to a berth and its skipper."""
        return any(
            not self.referring(table, place).isdisjoint(self.referring(table, beside))
            for place in self.named.get(one, ())
            for beside in self.named.get(other, ())
            for table in self._tables
        )

    def referring(self, table: str, place: Place) -> set[Place]:
        """The rows of a table that refer to a row."""
        first = next(iter(self._tables.get(table, ())), {})
        columns = [column for column in first if self._table_of(column) == place[0]]
        return {
            where
            for where, row in self.rows.items()
            if where[0] == table and any(row.get(column) == place[1] for column in columns)
        }


def names_in(row: Row) -> Iterator[str]:
    """The names and codes of a row, or of what a call shows of it."""
    for value in row.values():
        if isinstance(value, str) and 3 <= len(value) <= _LONGEST_NAME and value[0].isupper():
            yield value


def _states_of(column: str, values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """The values of a column of states, and of one that says yes or no, in words."""
    different = {value for value in values if value is not None}
    if not different or len(different) > _MOST_STATES:
        return
    if different <= {_YES, _NO} and not column.endswith("id"):
        yield from _yes_and_no(column.replace("_", " "))
    elif all(isinstance(value, str) and _STATE.fullmatch(value) for value in different):
        yield from ((str(value).replace("_", " "), value) for value in different)


def _yes_and_no(words: str) -> Iterable[tuple[str, int]]:
    yield words, _YES
    for yes, no in _OPPOSITES:
        if words.startswith(f"{yes} "):
            yield f"{no} {words.removeprefix(yes).strip()}", _NO
    if " " not in words:
        yield f"in{words}", _NO
