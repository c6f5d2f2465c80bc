"""A world that is not stored: its sentence word by word, its people, things and prices, and some tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.presentation.plain_language import Design, PlainLanguage
from studio.services.environments import dictionaries
from synthesis.documents.environment import Environment
from synthesis.documents.reading import ScenarioReading
from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Row
from synthesis.documents.tasks import Task

SHOWN_NAMES = 3
"""Rows of a table that are named."""
SHOWN_TASKS = 3
CONTACTS = frozenset({"email", "e_mail", "phone", "telephone"})
"""Columns that only people and companies have."""
DATED = ("date", "moment")
MONEY = ("money", "money_cents")


@dataclass(frozen=True)
class WordHome:
    """One word of the sentence and what stands for it; "" where nothing does."""

    word: str
    home: str


@dataclass(frozen=True)
class SampleTable:
    """One table: what it is called, how many rows it begins with, the names of some."""

    title: str
    count: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class SamplePrice:
    """One amount that things of a kind have: what it is called, from where to where, and of some things."""

    title: str
    least: str
    most: str
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class SampleTask:
    """One task as it would be asked, with the kind of thing that is right."""

    title: str
    kind: str
    instruction: str


@dataclass(frozen=True)
class WorldPreview:
    """What a sentence would become."""

    title: str
    clock: str
    words: tuple[WordHome, ...]
    names: tuple[str, ...]
    """Proper names of the sentence, which a world never uses."""
    rules: tuple[str, ...]
    """Rules that the sentence states and the world does not have, in its words."""
    numbers: tuple[str, ...]
    """How many it says there are of what the world has another number of."""
    people: tuple[SampleTable, ...]
    things: tuple[SampleTable, ...]
    records: tuple[SampleTable, ...]
    prices: tuple[SamplePrice, ...]
    acts: tuple[str, ...]
    """What the tools are called."""
    tasks: tuple[SampleTask, ...]
    task_count: int
    row_count: int

    @property
    def missing(self) -> tuple[str, ...]:
        """Words that nothing stands for."""
        return tuple(each.word for each in self.words if not each.home)


class UnstoredLanguage(PlainLanguage):
    """Speaks of an environment that is not stored: its rows have names, and no pages."""

    def __init__(self, design: Design, later: Mapping[str, Sequence[Row]] | None = None) -> None:
        self.design, self.dictionary = design, design.derived
        self._later = later or {}
        self._rows: dict[tuple[str, str], dict[Any, Row]] = {}

    def row_address(self, table: str, column: str, value: Any) -> str:  # noqa: ARG002 - no page of it
        """No page."""
        return ""


def world_preview(environment: Environment) -> WorldPreview:
    """What people can judge of an environment before it is made."""
    plain = UnstoredLanguage(_design(environment))
    kinds: dict[str, list[SampleTable]] = {"people": [], "things": [], "records": []}
    for table in environment.schema.tables:
        kinds[_kind(plain, table)].append(_sample(plain, table.name))
    reading = environment.scenario.reading
    return WorldPreview(
        title=environment.scenario.title,
        clock=dictionaries.clock_words(environment.scenario.clock),
        words=tuple(_words(plain, reading, environment.scenario.description)) if reading else (),
        names=reading.names if reading else (),
        rules=reading.unkept if reading else (),
        numbers=reading.miscounted if reading else (),
        people=tuple(kinds["people"]),
        things=tuple(kinds["things"]),
        records=tuple(kinds["records"]),
        prices=tuple(_prices(plain, environment.schema.tables)),
        acts=tuple(plain.tool(tool.name) for tool in environment.tools.tools),
        tasks=tuple(
            SampleTask(plain.task(task.id), task.kind, task.instruction)
            for task in _varied(environment.tasks.tasks)
        ),
        task_count=len(environment.tasks.tasks),
        row_count=environment.seed_data.count,
    )


def _design(environment: Environment) -> Design:
    parts = (environment.schema, environment.seed_data, environment.tools, environment.tasks)
    return Design(environment.scenario, *parts, dictionaries.derive(*parts))


def _words(plain: PlainLanguage, reading: ScenarioReading, sentence: str) -> Iterator[WordHome]:
    """Every content word in the order of the sentence."""
    homes = {**dict.fromkeys(reading.unread, ""), **reading.homes}
    written = sentence.lower()
    for word in sorted(homes, key=lambda word: (written.find(word) % (len(written) + 1), word)):
        yield WordHome(word, _home(plain, homes[word]))


def _home(plain: PlainLanguage, home: str) -> str:
    """What stands for a word, as people call it: "table yachts" reads "the records “Yachts”"."""
    kind, _, name = home.partition(" ")
    if kind == "table":
        return f"the records “{plain.table(name)}”"
    if kind == "tool":
        return f"what agents can do: “{plain.tool(name)}”"
    if kind == "value":
        table, _, column = name.removeprefix("of ").partition(".")
        return f"a value of “{plain.column(table, column)}” in “{plain.table(table)}”"
    if kind == "column":
        table, _, column = name.partition(".")
        return f"“{plain.column(table, column)}” in “{plain.table(table)}”"
    if kind == "rule:":
        return "a rule that agents are told"
    return "the name of the business" if home == "title" else home and f"a {home}"


def _kind(plain: PlainLanguage, table: Table) -> str:
    actor = plain.design.seeds.actor
    if CONTACTS & {column.name for column in table.columns} or (actor and actor.table == table.name):
        return "people"
    dated = any(plain.format_of(table.name, column.name) in DATED for column in table.columns)
    return "records" if dated else "things"


def _sample(plain: PlainLanguage, table: str) -> SampleTable:
    rows = plain.rows_of(table)
    names = dict.fromkeys(plain.row(table, row) for row in rows[: 4 * SHOWN_NAMES])
    return SampleTable(plain.table(table), len(rows), tuple(names)[:SHOWN_NAMES])


def _prices(plain: PlainLanguage, tables: Sequence[Table]) -> Iterator[SamplePrice]:
    """The amounts of things; those of what happened follow from them."""
    for table in tables:
        if _kind(plain, table) != "things":
            continue
        for column in table.columns:
            amounts = [row for row in plain.rows_of(table.name) if row.get(column.name) is not None]
            if amounts and plain.format_of(table.name, column.name) in MONEY:
                yield _price(plain, table.name, column.name, amounts)


def _price(plain: PlainLanguage, table: str, column: str, rows: Sequence[Row]) -> SamplePrice:
    def text(row: Row) -> str:
        return plain.value(table, column, row[column]).text

    ordered = sorted(rows, key=lambda row: float(row[column] or 0))
    return SamplePrice(
        title=f"{plain.one_of(table)}, {plain.column(table, column).lower()}",
        least=text(ordered[0]),
        most=text(ordered[-1]),
        examples=tuple((plain.row(table, row), text(row)) for row in rows[:SHOWN_NAMES]),
    )


def _varied(tasks: Sequence[Task]) -> list[Task]:
    """Some tasks, of as many kinds as there are, in their own order."""
    first = {task.kind: task for task in reversed(tasks)}.values()
    others = [task for task in tasks if task not in first]
    chosen = [*sorted(first, key=tasks.index), *others][:SHOWN_TASKS]
    return sorted(chosen, key=tasks.index)
