"""Plain language: rows, values, calls and changes in the words of an environment's dictionary."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Any
from urllib.parse import urlencode

from cachetools import LRUCache
from django.urls import reverse

from studio.models import EnvironmentRecord, Revision
from studio.presentation.row_changes import Change, net_changes
from studio.services.environments import dictionaries
from synthesis.documents.dictionary import ColumnEntry, Dictionary, TableEntry
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import ForeignKey, Schema
from synthesis.documents.seed_data import Row, SeedData
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tasks import Tasks
from synthesis.documents.tools import ToolCall, Toolset
from synthesis.verification.argument_values import singular

LARGE = 50_000
"""Rows from which keys are not resolved: a page would hold them all."""
MOST_KEPT = 12
DEEPEST = 3
"""Keys that are followed to name a row: an appointment by its slot, a slot by its doctor."""
LONGEST = 200
"""Characters of one value."""

_lock = threading.Lock()
_designs: LRUCache[str, Design] = LRUCache(MOST_KEPT)


@dataclass(frozen=True)
class PlainValue:
    """One value as people read it, with the page of the row it names, if it names one."""

    text: str
    title: str = ""
    address: str = ""


@dataclass(frozen=True)
class PlainChange:
    """One changed row: "Appointment changed: Nora Ash, Follow-up", with what it was and is."""

    title: str
    name: str
    word: str
    sign: str
    kind: str
    table: str
    key: str
    cells: tuple[tuple[str, str, str], ...]
    """Title of the column, before, after; only those that differ."""


@dataclass(frozen=True)
class PlainCall:
    """One call as a sentence: what is done, with what."""

    title: str
    values: tuple[PlainValue, ...]


@dataclass(frozen=True)
class Design:
    """What naming rows needs of a revision."""

    scenario: Scenario
    schema: Schema
    seeds: SeedData
    tools: Toolset
    tasks: Tasks
    derived: Dictionary


def design_of(revision: Revision) -> Design:
    """The parts of a revision that pages in plain language read, kept for a while."""
    with _lock:
        if (known := _designs.get(revision.fingerprint)) is not None:
            return known
    wanted = ("scenario", "schema", "seed_data", "tools", "tasks")
    parts: dict[str, Any] = {each.part: each.load() for each in revision.parts.filter(part__in=wanted)}
    scenario, schema, seeds, tools, tasks = (parts[name] for name in wanted)
    design = Design(scenario, schema, seeds, tools, tasks, dictionaries.derive(schema, seeds, tools, tasks))
    with _lock:
        _designs[revision.fingerprint] = design
    return design


class PlainLanguage:
    """Speaks of one revision of an environment in its own words.

    Args:
        record: The environment.
        later: Rows by table that came into being later, so that they can be named.
    """

    def __init__(self, record: EnvironmentRecord, later: Mapping[str, Sequence[Row]] | None = None) -> None:
        assert record.current is not None
        self.record = record
        self.design = design_of(record.current)
        self.dictionary = self.design.derived.overlaid(dictionaries.edited(record))
        self._later = later or {}
        self._rows: dict[tuple[str, str], dict[Any, Row]] = {}

    def after(self, diffs: Iterable[StateDiff]) -> PlainLanguage:
        """The same speaker, who also knows the rows that some changes made or left."""
        later: dict[str, list[Row]] = {}
        for diff in diffs:
            for change in diff.changes:
                if change.after is not None:
                    later.setdefault(change.table, []).append(change.after)
        return PlainLanguage(self.record, later)

    def tool(self, name: str) -> str:
        """What a tool is called."""
        return self.dictionary.tools.get(name) or dictionaries.as_words(name)

    def task(self, task_id: str) -> str:
        """What a task is called."""
        return self.dictionary.tasks.get(task_id) or dictionaries.as_words(task_id)

    def table(self, name: str) -> str:
        """What a table is called."""
        return self._entry(name).title or dictionaries.as_words(name)

    def column(self, table: str, name: str) -> str:
        """What a column is called."""
        return self._column(table, name).title or dictionaries.as_words(name)

    def value(self, table: str, column: str, value: Any) -> PlainValue:
        """One cell: keys by the name of their row, money, dates and states as people say them."""
        title = self.column(table, column)
        key = self._key(table, column)
        if key is not None and value is not None:
            return replace(self._named(key.table, key.references[0], value), title=title)
        return PlainValue(formatted(self._column(table, column), value), title)

    def row(self, table: str, row: Mapping[str, Any], depth: int = 0) -> str:
        """What people call a row; in the name of another row, by its first and last word alone."""
        entry = self._entry(table)
        naming = entry.names_row
        if depth and len(naming) > 2:
            naming = (naming[0], naming[-1])
        parts = [self._naming(table, name, row[name], depth) for name in naming if row.get(name) is not None]
        whole = (" " if naming == ("first_name", "last_name") else ", ").join(filter(None, parts))
        return whole[:LONGEST] or entry.singular or dictionaries.as_words(table)

    def call(self, call: ToolCall) -> PlainCall:
        """A call as a sentence."""
        values = [
            self._argument(name, value)
            for name, value in call.arguments.items()
            if value not in (None, "", [], {})
        ]
        return PlainCall(self.tool(call.name), tuple(values))

    def changes(self, diffs: Iterable[StateDiff]) -> list[PlainChange]:
        """What some changes come to, row by row."""
        return [self.change(change) for change in net_changes(diffs)]

    def change(self, change: Change) -> PlainChange:
        """One changed row."""
        row = {cell.column: cell.before if cell.after is None else cell.after for cell in change.cells}
        keys = set(self.primary_key(change.table))
        cells = tuple(
            (
                self.column(change.table, cell.column),
                "" if change.kind == "inserted" else self.value(change.table, cell.column, cell.before).text,
                "" if change.kind == "deleted" else self.value(change.table, cell.column, cell.after).text,
            )
            for cell in change.differing
            if cell.column not in keys and (change.kind == "updated" or cell.before or cell.after)
        )
        entry = self._entry(change.table)
        return PlainChange(
            entry.singular or dictionaries.as_words(change.table), self.row(change.table, row), change.word,
            change.sign, change.kind, change.table, change.key, cells,
        )  # fmt: skip

    def row_address(self, table: str, column: str, value: Any) -> str:
        """The page of the row whose column has a value."""
        return f"{reverse('environment_row', args=[self.record.name, table])}?{urlencode({column: value})}"

    def _entry(self, table: str) -> TableEntry:
        return self.dictionary.tables.get(table) or TableEntry()

    def _column(self, table: str, column: str) -> ColumnEntry:
        return self._entry(table).columns.get(column) or ColumnEntry()

    def _key(self, table: str, column: str) -> ForeignKey | None:
        matching = self.design.schema.table(table)
        keys = matching.foreign_keys if matching else ()
        return next((key for key in keys if key.columns == (column,) and key.references), None)

    def primary_key(self, table: str) -> tuple[str, ...]:
        """Names of a table's key columns."""
        matching = self.design.schema.table(table)
        return matching.primary_key if matching else ()

    def _named(self, table: str, column: str, value: Any, depth: int = 0) -> PlainValue:
        row = self._find(table, column, value)
        singular_title = self._entry(table).singular or dictionaries.as_words(table)
        text = self.row(table, row, depth + 1) if row else f"{singular_title} {value}"
        there = value in self._index(table, column, self.rows_of(table))
        return PlainValue(text, address=self.row_address(table, column, value) if there else "")

    def _naming(self, table: str, column: str, value: Any, depth: int) -> str:
        key = self._key(table, column)
        if key is None:
            return formatted(self._column(table, column), value)
        return self._named(key.table, key.references[0], value, depth).text if depth < DEEPEST else ""

    def _find(self, table: str, column: str, value: Any) -> Row | None:
        if not isinstance(value, str | int | float):
            return None
        later = next((row for row in self._later.get(table, ()) if row.get(column) == value), None)
        return later or self._index(table, column, self.rows_of(table)).get(value)

    def rows_of(self, table: str) -> Sequence[Row]:
        """The rows a table begins with; none where the world has too many to hold."""
        return self.design.seeds.rows.get(table, ()) if self.design.seeds.count <= LARGE else ()

    def _index(self, table: str, column: str, rows: Sequence[Row]) -> dict[Any, Row]:
        place = (table, column)
        if place not in self._rows:
            self._rows[place] = {row.get(column): row for row in rows}
        return self._rows[place]

    def _argument(self, name: str, value: Any) -> PlainValue:
        title = dictionaries.as_words(name.removesuffix("_id").removesuffix("_cents"))
        if isinstance(value, list):
            parts = [self._argument(name.removesuffix("s"), each).text for each in value]
            return PlainValue(", ".join(parts)[:LONGEST], title)
        if isinstance(value, dict):
            parts = [f"{each.title} {each.text}" for each in map(self._argument, value, value.values())]
            return PlainValue(", ".join(parts)[:LONGEST], title)
        place = self._place_of(name, value)
        if place is None:
            return PlainValue(formatted(_entry_of(name, value), value), title)
        table, column = place
        if self._key(table, column) is None and column in self.primary_key(table):
            return replace(self._named(table, column, value), title=title)
        return replace(self.value(table, column, value), title=title)

    def _place_of(self, name: str, value: Any) -> tuple[str, str] | None:
        """The column that an argument means by its name: a row's key, or a column that has such values."""
        tables = self.design.schema.tables
        keyed = [(table.name, table.primary_key[0]) for table in tables if len(table.primary_key) == 1]
        for means in (_means, _may_mean):
            matches = [place for place in keyed if means(name, *place)]
            if len(matches) == 1:
                return matches[0]
        named = [
            (table.name, name)
            for table in tables
            if name not in table.primary_key and any(column.name == name for column in table.columns)
        ]
        listing = (place for place in named if str(value) in self._column(*place).values)
        return next(listing, named[0] if named else None)


def formatted(entry: ColumnEntry, value: Any) -> str:
    """A value by its format, unit and states."""
    if value is None:
        return "none"
    if str(value) in entry.values:
        return entry.values[str(value)]
    text = _written(entry, value)
    return f"{text} {entry.unit}"[:LONGEST] if entry.unit else text[:LONGEST]


def _means(argument: str, table: str, key: str) -> bool:
    one = singular(table)
    return argument in (f"{one}_{key}", f"{table}_{key}")


def _may_mean(argument: str, table: str, key: str) -> bool:
    """Whether an argument names a part of the table's name, or more than it: entry_id, new_slot_id."""
    whole = f"_{singular(table)}_{key}"
    return argument.endswith(whole) or (argument != key and whole.endswith(f"_{argument}"))


def _entry_of(name: str, value: Any) -> ColumnEntry:
    """How an argument is read that no column of the world explains."""
    if name.endswith("_cents"):
        return ColumnEntry(format="money_cents")
    if isinstance(value, bool):
        return ColumnEntry(format="yes_no")
    if isinstance(value, str) and len(value) in (16, 19) and value[10:11] == "T":
        return ColumnEntry(format="moment")
    if isinstance(value, str) and len(value) == 10 and value[4:5] == "-":
        return ColumnEntry(format="date")
    return ColumnEntry(format="number" if isinstance(value, int | float) else "text")


def _written(entry: ColumnEntry, value: Any) -> str:
    """A value by its format; as it is stored where it does not fit."""
    kind = entry.format
    try:
        if kind == "money_cents" and isinstance(value, int):
            return f"{value / 100:,.2f}"
        if kind == "money" and isinstance(value, int | float):
            return f"{value:,.2f}"
        if kind == "number" and isinstance(value, int | float):
            return f"{value:,}"
        if kind == "yes_no":
            return "yes" if value in (1, True, "1", "yes", "true") else "no"
        if isinstance(value, str):
            return _moment_words(kind or "text", value)
    except ValueError:
        pass
    return str(value)


def _moment_words(kind: str, value: str) -> str:
    if kind == "moment":
        moment = datetime.fromisoformat(value)
        return f"{moment:%a} {moment.day} {moment:%B %Y, %H:%M}"
    if kind == "date":
        day = date.fromisoformat(value)
        return f"{day:%a} {day.day} {day:%B %Y}"
    if kind == "time":
        return f"{time.fromisoformat(value):%H:%M}"
    return value
