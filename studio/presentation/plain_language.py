"""Plain language: rows, values, calls and changes in the words of an environment's dictionary."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from cachetools import LRUCache
from django.urls import reverse

from studio.forms.argument_fields import DayStyle
from studio.forms.dictionaries import format_words
from studio.models import EnvironmentRecord, Revision
from studio.presentation.generated_values import generated_value
from studio.presentation.plain_values import LONGEST, entry_of, formatted, is_bare
from studio.presentation.row_changes import Cell, Change, net_changes
from studio.services.environments import dictionaries
from synthesis.documents.dictionary import ColumnEntry, ColumnFormat, Dictionary, TableEntry
from synthesis.documents.policy import Policy
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import ForeignKey, Schema
from synthesis.documents.seed_data import Row, SeedData
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tasks import Tasks
from synthesis.documents.tools import ToolCall, Toolset
from synthesis.verification.argument_values import singular

LARGE = 50_000
"""Rows from which keys are not resolved: a page would hold them all."""
MOST_CACHED = 12
CODE_NAME = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
IN_CENTS = re.compile(r",? in cents\b")
"""Of a description: people read and enter amounts."""
ISO_DAY = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")
MOST_PICKED = 300
"""Rows that a form offers to choose from."""
DEEPEST = 3
"""Keys that are followed to name a row: an appointment by its slot, a slot by its doctor."""

_lock = threading.Lock()
_designs: LRUCache[str, Design] = LRUCache(MOST_CACHED)


@dataclass(frozen=True)
class PlainValue:
    """One value as people read it, with the page of the row it names, if it names one."""

    text: str
    title: str = ""
    address: str = ""
    bare: bool = False
    """Whether the text alone does not say what it is of: figures, "yes", a state, a single word."""


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
    policy: Policy | None = None


def design_of(revision: Revision) -> Design:
    """The parts of a revision that pages in plain language read, kept for a while."""
    with _lock:
        if (known := _designs.get(revision.fingerprint)) is not None:
            return known
    wanted = ("scenario", "schema", "seed_data", "tools", "tasks")
    stored = revision.parts.filter(part__in=(*wanted, "policy"))
    parts: dict[str, Any] = {each.part: each.load() for each in stored}
    scenario, schema, seeds, tools, tasks = (parts[name] for name in wanted)
    derived = dictionaries.derive(schema, seeds, tools, tasks)
    design = Design(scenario, schema, seeds, tools, tasks, derived, parts.get("policy"))
    with _lock:
        _designs[revision.fingerprint] = design
    return design


class PlainLanguage:
    """Speaks of one revision of an environment in its own words.

    Args:
        record: The environment.
        later: Rows by table that came into being later, so that they can be named.
        revision: The revision that is spoken of, where it is not the current one.
    """

    def __init__(
        self,
        record: EnvironmentRecord,
        later: Mapping[str, Sequence[Row]] | None = None,
        revision: Revision | None = None,
    ) -> None:
        assert record.current is not None
        self.record = record
        self.revision = revision or record.current
        self.design = design_of(self.revision)
        self.dictionary = self.design.derived.overlaid(dictionaries.edited(record))
        self._later = later or {}
        self._rows: dict[tuple[str, str], dict[Any, Row]] = {}

    def after(self, diffs: Iterable[StateDiff]) -> PlainLanguage:
        """The same speaker, who also knows the rows that some changes made or left."""
        rows = [(change.table, change.after) for diff in diffs for change in diff.changes]
        return self.knowing_rows((table, row) for table, row in rows if row is not None)

    def knowing(self, changes: Iterable[Change]) -> PlainLanguage:
        """The same speaker, who also knows the rows of some changes as they are afterwards."""
        remaining = (each for each in changes if each.kind != "deleted")
        return self.knowing_rows(
            (each.table, {cell.column: cell.after for cell in each.cells}) for each in remaining
        )

    def shown(self, changes: Iterable[Change]) -> list[PlainChange]:
        """Row changes, each named as the row is called."""
        given = list(changes)
        later = self.knowing(given)
        return [later.change(change) for change in given]

    def knowing_rows(self, rows: Iterable[tuple[str, Row]]) -> PlainLanguage:
        """The same speaker, who also knows some rows, each with its table."""
        later: dict[str, list[Row]] = {}
        for table, row in rows:
            later.setdefault(table, []).append(row)
        return PlainLanguage(self.record, later, self.revision)

    def tool(self, name: str) -> str:
        """What a tool is called."""
        return self.dictionary.tools.get(name) or dictionaries.as_words(name)

    def task(self, task_id: str) -> str:
        """What a task is called."""
        return self.dictionary.tasks.get(task_id) or dictionaries.task_title(task_id)

    def table(self, name: str) -> str:
        """What a table is called."""
        return self._entry(name).title or dictionaries.as_words(name)

    def one_of(self, name: str) -> str:
        """What one row of a table is called."""
        return self._entry(name).singular or dictionaries.as_words(singular(name))

    def naming(self, table: str) -> tuple[str, ...]:
        """The columns that together name a row."""
        return self._entry(table).names_row

    def format_of(self, table: str, column: str) -> ColumnFormat:
        """How the values of a column are read."""
        return self._column(table, column).format or "text"

    def referred(self, table: str, column: str, value: Any) -> str | None:
        """What the row is called that a key refers to: "" where it is not known, None for other columns."""
        key = self._key(table, column)
        return None if key is None else self.name_of(key.table, key.references[0], value)

    def name_of(self, table: str, column: str, value: Any) -> str:
        """What the row whose column has a value is called; "" where it is not known."""
        row = self._find(table, column, value)
        return self._name(table, row, depth=1) if row else ""

    def differently(self, table: str, column: str, value: Any) -> str | None:
        """A value by its format, unit and states; None where that is how it is stored."""
        text = formatted(self._column(table, column), value)
        return None if isinstance(value, str | bytes) and (text == value or len(value) >= LONGEST) else text

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
        return self._name(table, row, depth) or self.one_of(table)

    def _name(self, table: str, row: Mapping[str, Any], depth: int) -> str:
        """The row's own name; "" where nothing in it names it."""
        entry = self._entry(table)
        naming = entry.names_row
        if depth and len(naming) > 2:
            naming = (naming[0], naming[-1])
        values = {name: self._held(table, name, row) for name in naming}
        parts = [self._naming(table, name, held, depth) for name, held in values.items() if held is not None]
        whole = (" " if naming == ("first_name", "last_name") else ", ").join(filter(None, parts))
        return whole[:LONGEST]

    def _held(self, table: str, column: str, row: Mapping[str, Any]) -> Any:
        """What a row holds in a column, also where the database puts it together."""
        value, design = row.get(column), self.design.schema.table(table)
        return generated_value(design, column, row) if value is None and design else value

    def call(self, call: ToolCall) -> PlainCall:
        """A call as a sentence."""
        values = [
            self.argument(name, value)
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
            line
            for cell in change.differing
            if cell.column not in keys and (change.kind == "updated" or cell.before or cell.after)
            for line in self._lines(change, cell)
        )
        name = self._name(change.table, row, 0) or change.key
        return PlainChange(
            self.one_of(change.table), name, change.word,
            change.sign, change.kind, change.table, change.key, cells,
        )  # fmt: skip

    def _lines(self, change: Change, cell: Cell) -> list[tuple[str, str, str]]:
        """A changed cell: title, before, after; one line for each place inside where it holds JSON."""
        title = self.column(change.table, cell.column)
        if cell.inner:
            return [(f"{title}, {_path_words(x.path)}", x.before or "", x.after or "") for x in cell.inner]
        before = "" if change.kind == "inserted" else self.value(change.table, cell.column, cell.before).text
        after = "" if change.kind == "deleted" else self.value(change.table, cell.column, cell.after).text
        return [(title, before, after)]

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
        text = (self._name(table, row, depth + 1) if row else "") or f"{self.one_of(table)} {value}"[:LONGEST]
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

    def argument(self, name: str, value: Any) -> PlainValue:
        """A named value of a call or of its result: keys by the name of their row."""
        title = self.argument_title(name)
        if isinstance(value, list):
            items = [self.argument(name.removesuffix("s"), each) for each in value]
            text = ", ".join(item.text for item in items)
            return PlainValue(text[:LONGEST], title, bare=any(item.bare for item in items))
        if isinstance(value, dict):
            parts = [f"{each.title} {each.text}" for each in map(self.argument, value, value.values())]
            return PlainValue(", ".join(parts)[:LONGEST], title)
        place = self._place_of(name, value)
        if place is None:
            entry = entry_of(name, value)
            return PlainValue(formatted(entry, value), title, bare=is_bare(entry, value))
        table, column = place
        key = self._key(table, column)
        if key is None and value is not None and column in self.primary_key(table):
            return replace(self._named(table, column, value), title=title)
        bare = key is None and is_bare(self._column(table, column), value)
        return replace(self.value(table, column, value), title=title, bare=bare)

    def without_code(self, text: str) -> str:
        """A text that agents read, with names of the code and dates as words: "on_duty" reads "on duty"."""
        named = CODE_NAME.sub(lambda name: dictionaries.choice_words(name[0]), DayStyle.undescribed(text))
        named = IN_CENTS.sub("", named)
        return ISO_DAY.sub(lambda day: formatted(ColumnEntry(format="date"), day[0]), named)

    def argument_title(self, name: str) -> str:
        """What an argument is called: as the column of its name is, where every table agrees about that."""
        columns = {
            entry.columns[name].title for entry in self.dictionary.tables.values() if name in entry.columns
        }
        title = columns.pop() if len(columns) == 1 else ""
        return title or dictionaries.as_words(dictionaries.without_marks(name))

    def argument_kind(self, name: str) -> str:
        """What an argument has to be, as "one of the visits" or "money"; "" where its name does not say."""
        place = self._place_of(name, None)
        if place is None:
            return "money" if name.endswith("_cents") else ""
        table, column = place
        key = self._key(table, column)
        if key is not None or column in self.primary_key(table):
            return f"one of the {self.table(key.table if key else table).lower()}"
        return format_words(self.format_of(table, column))

    def in_cents(self, name: str) -> bool:
        """Whether an argument is money in whole cents."""
        place = self._place_of(name, None)
        return self.format_of(*place) == "money_cents" if place else name.endswith("_cents")

    def day_style(self, name: str) -> DayStyle | None:
        """How the column that an argument means writes its days or moments; None for other columns."""
        place = self._place_of(name, None)
        if place is None or self.format_of(*place) not in ("date", "moment"):
            return None
        table, column = place
        values = (row[column] for row in self.rows_of(table) if row.get(column) is not None)
        return DayStyle.stored(next(values, None))

    def today(self, *, with_time: bool) -> str:
        """A sentence that says which day it is in the world."""
        clock = self.design.scenario.clock.isoformat()
        entry = ColumnEntry(format="moment" if with_time else "date")
        return f"Today is {formatted(entry, clock if with_time else clock[:10])}."

    def rows_named_by(self, name: str) -> list[tuple[Any, str]]:
        """Key and name of the rows that an argument may mean; none where there are too many."""
        place = self._place_of(name, None)
        if place is None:
            return []
        table, column = place
        if (key := self._key(table, column)) is not None:
            table, column = key.table, key.references[0]
        elif column not in self.primary_key(table):
            return []
        return self.rows_named_by_key(table, column)

    def rows_named_by_key(self, table: str, column: str) -> list[tuple[Any, str]]:
        """Key and name of a table's rows, also those that came later; none where there are too many."""
        rows = {row.get(column): row for row in (*self.rows_of(table), *self._later.get(table, ()))}
        if len(rows) > MOST_PICKED:
            return []
        return [(key, self.row(table, row)) for key, row in rows.items()]

    def refers_to(self, table: str, column: str) -> tuple[str, str] | None:
        """Table and column that a key refers to; None for other columns."""
        key = self._key(table, column)
        return None if key is None else (key.table, key.references[0])

    def states(self, table: str, column: str) -> Mapping[str, str]:
        """The states of a column with what each is called."""
        return self._column(table, column).values

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


def _path_words(path: str) -> str:
    """A place inside a JSON value: "lines[0].unit_price" reads "lines 1, unit price"."""
    parts = [re.sub(r"\[(\d+)\]", lambda at: f" {int(at[1]) + 1}", part) for part in path.split(".")]
    return ", ".join(parts).replace("_", " ")


def _means(argument: str, table: str, key: str) -> bool:
    one = singular(table)
    return argument in (f"{one}_{key}", f"{table}_{key}")


def _may_mean(argument: str, table: str, key: str) -> bool:
    """Whether an argument names a part of the table's name, or more than it: entry_id, new_slot_id."""
    whole = f"_{singular(table)}_{key}"
    return argument.endswith(whole) or (argument != key and whole.endswith(f"_{argument}"))
