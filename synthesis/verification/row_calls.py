"""Row calls: calls of a tool with a row of every state that occurs, and with arguments that belong together.

Arguments that are drawn one by one rarely meet the one row in a rare state, or the payment of the very bill
beside it; what a tool does there is tried only by arguments that come from the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from pydantic import JsonValue

from synthesis.documents.schema import Schema, Table
from synthesis.documents.tools import Tool, ToolCall
from synthesis.verification.argument_values import ArgumentValues, singular
from synthesis.verification.other_values import allowed_values, refers
from synthesis.verification.tool_contract import UNKNOWN_ID
from synthesis.worlds.arguments import validation_error, validation_errors

Row = Mapping[str, Any]
State = tuple[tuple[str, JsonValue], ...]

MOST_STATES = 12
"""Rows of one table that tools are called with, each with a value of some state that no other has."""
_STATES = re.compile(
    r"(?:^|_)(?:status|state|stage|phase|kind|type|level|priority|active|enabled|locked|closed|archived)$"
    r"|^(?:is|has|needs|may|can|in)_"
)
_LONGEST_KEY = 60
"""Characters of a text by which people name a row."""
_OTHER = ("new_", "to_", "target_", "destination_", "other_")
"""Prefixes of a parameter that names another row than the one which a row refers to already."""


def states_of(table: Table, row: Row) -> State:
    """What state a row is in: its values of state-like columns, and which cells that may be empty are."""
    return tuple(
        (column.name, row.get(column.name) if _is_state(table, column.name) else row.get(column.name) is None)
        for column in table.columns
        if not column.primary_key and (_is_state(table, column.name) or not column.not_null)
    )


def rows_of_states(table: Table, rows: Sequence[Row]) -> list[Row]:
    """The first row of every value of every state, at most `MOST_STATES`; no column takes another's place."""
    first: dict[str, dict[JsonValue, Row]] = {}
    for row in rows:
        for column, value in states_of(table, row):
            first.setdefault(column, {}).setdefault(value, row)
    in_turn = chain.from_iterable(zip_longest(*(each.values() for each in first.values())))
    unlike = {id(row): row for row in (*rows[:1], *in_turn) if row is not None}
    return list(unlike.values())[:MOST_STATES]


class RowParameter(NamedTuple):
    """A parameter that names a row, by one column of its table."""

    parameter: str
    table: Table
    column: str


class RowCalls:
    """Makes calls with rows of one state of the world.

    Args:
        schema: The tables.
        rows: Rows of the state by table.
        values: Where arguments come from that no row decides.
    """

    def __init__(self, schema: Schema, rows: Mapping[str, Sequence[Row]], values: ArgumentValues) -> None:
        self._schema, self._rows, self._values = schema, rows, values
        self._keyed = {table.name: table for table in schema.tables if len(table.primary_key) == 1}
        self._chosen: dict[str, list[Row]] = {}
        self._first: dict[tuple[str, str], dict[Any, Row]] = {}
        self._natural: dict[str, RowParameter | None] = {}
        self._tables_named: dict[str, Table | None] = {}

    def of_every_state(self, tool: Tool) -> list[ToolCall]:
        """Calls with a row of each state, for each parameter that names a row."""
        calls = (
            self.call(tool, subject, row)
            for subject in self._subjects(tool)
            for row in self._representing(subject.table)
        )
        return _valid(tool, calls)

    def with_nobody(self, tool: Tool) -> list[ToolCall]:
        """Calls that name a row of each state and, under another parameter, a row that there is not."""
        subjects = self._subjects(tool)
        calls = [
            call.replace(arguments={**call.arguments, other.parameter: UNKNOWN_ID})
            for subject in subjects
            for other in subjects
            if other is not subject
            for row in self._representing(subject.table)
            if isinstance((call := self.call(tool, subject, row)).arguments.get(other.parameter), int)
        ]
        return _valid(tool, calls)

    def with_row(self, tool: Tool, table_name: str, row: Row) -> list[ToolCall]:
        """Calls with one row, for each parameter that names a row of its table."""
        subjects = [subject for subject in self._subjects(tool) if subject.table.name == table_name]
        return _valid(tool, (self.call(tool, subject, row) for subject in subjects))

    def call(self, tool: Tool, subject: RowParameter, row: Row) -> ToolCall:
        """A call in which a parameter names a row; what belongs to the row goes with it."""
        required = set(_required(tool))
        arguments: dict[str, JsonValue] = {subject.parameter: row.get(subject.column)}
        for name, rule in _rules(tool).items():
            if name == subject.parameter:
                continue
            belonging = self._belonging(name, subject.table, row, reads=not tool.mutates_state)
            if belonging is not None and not validation_error(rule, belonging):
                arguments[name] = belonging
            elif name in required:
                arguments[name] = self._values.value(name, rule)
        return ToolCall(name=tool.name, arguments=arguments)

    def _subjects(self, tool: Tool) -> list[RowParameter]:
        """Parameters that name a row; optional ones only where none is required, and those that name it by
        something else than its key only where none names it by that."""
        named = [
            RowParameter(name, table, table.primary_key[0])
            for name in _rules(tool)
            if (table := self._named(name)) is not None
        ]
        named = named or [each for name in _rules(tool) if (each := self._by_natural_key(name)) is not None]
        required = [subject for subject in named if subject.parameter in _required(tool)]
        return required or named

    def _by_natural_key(self, parameter: str) -> RowParameter | None:
        """What a parameter names that is no key but tells rows apart: a code, a number, an address.

        It is called member_email, or email where only one table has such a column.
        """
        if parameter not in self._natural:
            columns = [
                RowParameter(parameter, table, column.name)
                for table in self._keyed.values()
                for column in table.columns
                if parameter in (column.name, f"{singular(table.name)}_{column.name}")
                and self._tells_apart(table, column.name)
            ]
            exact = [each for each in columns if parameter != each.column]
            chosen = exact or columns
            self._natural[parameter] = chosen[0] if len(chosen) == 1 else None
        return self._natural[parameter]

    def _tells_apart(self, table: Table, column: str) -> bool:
        """Whether every row has a short text of its own in a column."""
        values = [row.get(column) for row in self._rows.get(table.name, ())]
        texts = {value for value in values if isinstance(value, str) and 0 < len(value) <= _LONGEST_KEY}
        return len(values) > 1 and len(texts) == len(values)

    def _named(self, parameter: str) -> Table | None:
        """The table whose rows a parameter names: entry_id or new_entry_id for (waitlist_)entries."""
        if parameter not in self._tables_named:
            self._tables_named[parameter] = self._find_named(parameter)
        return self._tables_named[parameter]

    def _find_named(self, parameter: str) -> Table | None:
        part: Table | None = None
        for table in self._keyed.values():
            one, key = singular(table.name), table.primary_key[0]
            names = {f"{one}_id", f"{one}_{key}", *([key] if key != "id" else [])}
            if parameter in names or any(parameter.endswith(f"_{name}") for name in names):
                return table
            if parameter.endswith("_id") and f"{one}_id".endswith(f"_{parameter}"):
                part = part or table
        return part

    def _representing(self, table: Table) -> list[Row]:
        if table.name not in self._chosen:
            self._chosen[table.name] = rows_of_states(table, self._rows.get(table.name, ()))
        return self._chosen[table.name]

    def _belonging(self, name: str, table: Table, row: Row, *, reads: bool) -> JsonValue:
        """The value of a parameter that goes with a row; None where the row decides nothing."""
        other, natural = self._named(name), None
        if (
            other is None
            and (natural := self._by_natural_key(name)) is not None
            and natural.table is not table
        ):
            other = natural.table
        if other is None:
            value = row.get(name) if reads else None
            return value if isinstance(value, str | int | float) else None
        if name.startswith(_OTHER):
            return None
        key: JsonValue = next(iter(self._related(table, row, other)), None)
        if natural is not None and other is natural.table:
            related = self._first_by(other, other.primary_key[0]).get(key, {})
            key = related.get(natural.column)
        return key

    def _related(self, table: Table, row: Row, other: Table) -> Iterator[Any]:
        """Keys of rows of the other table: the parent, a child, a child of the same parent."""
        yield from _parents(table, row, other)
        own = row.get(table.primary_key[0])
        yield from self._children(other, table, own)
        for key in table.foreign_keys:
            parent = self._keyed.get(key.table)
            if parent is not None and len(key.columns) == 1 and parent is not other:
                yield from self._children(other, parent, row.get(key.columns[0]))

    def _children(self, child: Table, parent: Table, key: Any) -> Iterator[Any]:
        for reference in child.foreign_keys:
            if reference.table == parent.name and len(reference.columns) == 1 and key is not None:
                row = self._first_by(child, reference.columns[0]).get(key)
                yield from () if row is None else (row.get(child.primary_key[0]),)

    def _first_by(self, table: Table, column: str) -> dict[Any, Row]:
        place = table.name, column
        if place not in self._first:
            rows = reversed(self._rows.get(table.name, ()))
            self._first[place] = {row[column]: row for row in rows if row.get(column) is not None}
        return self._first[place]


def _is_state(table: Table, column: str) -> bool:
    return not refers(table, column) and bool(_STATES.search(column) or allowed_values(table, column))


def _parents(table: Table, row: Row, other: Table) -> Iterator[Any]:
    for key in table.foreign_keys:
        if key.table == other.name and len(key.columns) == 1 and row.get(key.columns[0]) is not None:
            yield row[key.columns[0]]


def _valid(tool: Tool, calls: Iterable[ToolCall]) -> list[ToolCall]:
    unlike = {repr(sorted(call.arguments.items())): call for call in calls}
    return [call for call in unlike.values() if not validation_errors(tool.input_schema, call.arguments)]


def _rules(tool: Tool) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = tool.input_schema
    rules: Mapping[str, Any] = schema.get("properties", {})
    return rules


def optional_parameters(tool: Tool) -> frozenset[str]:
    """Parameters that a call may leave out."""
    return frozenset(_rules(tool)) - frozenset(_required(tool))


def _required(tool: Tool) -> Sequence[str]:
    schema: Mapping[str, Any] = tool.input_schema
    return [str(name) for name in schema.get("required", ())]
