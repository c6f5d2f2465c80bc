"""Effects of a task: what its right end consists of, read from its solution and the rows that it names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from synthesis.documents.environment import Environment
from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Row
from synthesis.documents.tasks import Task
from synthesis.documents.tools import Tool, ToolCall
from synthesis.reading.document import parsed
from synthesis.reading.effects import Effects, effects_from, is_name
from synthesis.reading.fact_values import values_of
from synthesis.reading.words import keys
from synthesis.reading.world_rows import WorldRows
from synthesis.verification.distractors import SeedRows

_MOST_NAMES = 4_000
_HOPS = 2
"""References that are followed from the rows a solution names: a booking, its guest, the guest's company."""
_MOST_ROWS = 400
_LEAST_KEY = 100
_MOST_DISTRACTORS = 400
_STATES = frozenset(("status", "state", "stage"))


def effects_of(environment: Environment, task: Task) -> Effects:
    """What the right end of a task consists of, as far as an answer may speak of it."""
    return _effects(environment.fingerprint, task.fingerprint, _Subject(environment, task))


class _Subject(SeedRows):
    """A task with its environment, which do not count for the cache."""

    def __init__(self, environment: Environment, task: Task) -> None:
        super().__init__(environment)
        self.task = task


@lru_cache(maxsize=512)
def _effects(_environment: str, _task: str, rows: _Subject) -> Effects:
    return effects_from(effect_values(rows.environment, rows.task))


def effect_values(environment: Environment, task: Task) -> dict[str, Any]:
    """The plain values that effects are made of, as `effects_from` takes them."""
    rows = SeedRows(environment)
    writing = [tool for tool in environment.tools.tools if tool.mutates_state]
    calls = [call for call in task.reference_solution if call.name in {tool.name for tool in writing}]
    rows_meant = _rows_of(environment, task)
    cells = [cell for row in rows_meant for cell in row.values() if cell is not None]
    given = [value for call in task.reference_solution for value in _given(call)]
    numbers, own = _keys(environment.fingerprint, rows), {*given, *cells}
    spoken = [task.instruction, task.reference_answer, *(str(fact.value) for fact in task.answer_facts)]
    spoken += [each.text for each in task.blocking]
    marked = _with_new_rows(environment, calls, [(call.name, _marks(environment, call)) for call in calls])
    policy = parsed(environment.policy.text) if environment.policy else None
    texts = dict.fromkeys(value for value in (*cells, *given) if isinstance(value, str))
    return {
        "tools": _counts(writing, calls),
        "tables": environment.seed_data.rows,
        "rows": _world_rows(environment.fingerprint, rows),
        "names": _names(environment.fingerprint, rows),
        "own": (*texts, *spoken),
        "words": [str(value) for call in calls for value in _given(call)],
        "options": tuple(_options(writing, calls)),
        "amounts": {value for value in (*cells, *given) if isinstance(value, int)}
        | (values_of(policy, "money_cents") if policy else frozenset()),
        "own_keys": numbers & own,
        "other_keys": numbers - own,
        "calls": marked,
        "distractors": _distractors(environment, marked),
        "left": sorted(_left(environment, task, calls)),
    }


@lru_cache(maxsize=16)
def _world_rows(_environment: str, rows: SeedRows) -> WorldRows:
    return WorldRows(rows.environment.seed_data.rows)


@lru_cache(maxsize=64)
def _names(_environment: str, rows: SeedRows) -> tuple[str, ...]:
    texts = dict.fromkeys(
        cell
        for table in rows.environment.seed_data.rows.values()
        for row in table
        for cell in row.values()
        if isinstance(cell, str) and is_name(cell)
    )
    return tuple(texts)[:_MOST_NAMES]


@lru_cache(maxsize=64)
def _keys(_environment: str, rows: SeedRows) -> frozenset[int]:
    """The whole numbers that are some row's only key, and long enough to be told from a count."""
    single = {
        table.name: table.primary_key[0]
        for table in rows.environment.schema.tables
        if len(table.primary_key) == 1
    }
    values = (
        row.get(single[name])
        for name, listed in rows.environment.seed_data.rows.items()
        if name in single
        for row in listed
    )
    return frozenset(value for value in values if isinstance(value, int) and value >= _LEAST_KEY)


def _counts(writing: Sequence[Tool], calls: Sequence[ToolCall]) -> dict[str, int | None]:
    """How often each writing tool is called; None where one call may write several rows."""
    counts = Counter(call.name for call in calls)
    several = {
        call.name for call in calls if any(isinstance(v, list | dict) for v in call.arguments.values())
    }
    return {tool.name: None if tool.name in several else counts[tool.name] for tool in writing}


def _given(call: ToolCall) -> Iterator[int | float | str]:
    """The single values of a call's arguments."""
    waiting: list[Any] = list(call.arguments.values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, int | float | str) and not isinstance(value, bool):
            yield value


def _options(writing: Sequence[Tool], calls: Sequence[ToolCall]) -> Iterator[tuple[str, frozenset[str], str]]:
    """Chosen options of the calls, each with what could have been chosen instead in every call."""
    tools = {tool.name: tool for tool in writing}
    chosen = {value for call in calls for value in _given(call) if isinstance(value, str)}
    for call in calls:
        properties = tools[call.name].input_schema.get("properties")
        for name, value in call.arguments.items():
            listed = _listed(properties.get(name)) if isinstance(properties, dict) else ()
            if value in listed and isinstance(value, str):
                yield value, frozenset(listed) - chosen, name


def _listed(schema: Any) -> tuple[str, ...]:
    """The values that a parameter's schema lists."""
    if not isinstance(schema, dict):
        return ()
    if isinstance(schema.get("enum"), list):
        return tuple(value for value in schema["enum"] if isinstance(value, str))
    return tuple(value for part in schema.get("anyOf", ()) for value in _listed(part))


def _rows_of(environment: Environment, task: Task) -> list[Row]:
    """The rows that a solution names by their keys, and those that they refer to."""
    tables = [(table, environment.seed_data.rows.get(table.name, ())) for table in environment.schema.tables]
    calls = [_Arguments(call) for call in task.reference_solution]
    results: dict[int, Row] = {}
    reached = [
        (table, row)
        for table, rows in tables
        for row in rows
        if any(call.names(table, row) for call in calls)
    ]
    for _ in range(_HOPS + 1):
        reached = [(table, row) for table, row in reached if id(row) not in results][:_MOST_ROWS]
        results |= {id(row): row for _, row in reached}
        reached = [pair for table, row in reached for pair in _referred(environment, table, row)]
    return list(results.values())


def _marks(environment: Environment, call: ToolCall) -> dict[str, str]:
    """What people call the rows that a call names, and those they refer to, each with its kind."""
    tables = [(table, environment.seed_data.rows.get(table.name, ())) for table in environment.schema.tables]
    arguments = _Arguments(call)
    named = [(table, row) for table, rows in tables for row in rows if arguments.names(table, row)]
    reached, edge = list(named), named
    for _ in range(_HOPS):  # to take somebody off a booking is about the booking's client, too
        edge = [pair for table, row in edge for pair in _referred(environment, table, row)]
        reached += edge
    marks: dict[str, str] = {}
    for table, row in reached:
        for column, cell in row.items():
            if isinstance(cell, str) and is_name(cell):
                marks.setdefault(cell, f"{table.name}.{column}")
    for table, row in named:
        key = row.get(table.primary_key[0]) if len(table.primary_key) == 1 else None
        if isinstance(key, int) and key >= _LEAST_KEY:
            marks.setdefault(str(key), f"{table.name}.{table.primary_key[0]}")
    return marks


def _with_new_rows(
    environment: Environment, calls: Sequence[ToolCall], marked: Sequence[tuple[str, dict[str, str]]]
) -> list[tuple[str, dict[str, str]]]:
    """The same; calls for one row that the solution makes are about all that any of them names: a draft of an
    order, its lines, its dispatch."""
    tables = [(table, environment.seed_data.rows.get(table.name, ())) for table in environment.schema.tables]
    groups: dict[tuple[str, int], list[int]] = {}
    for number, call in enumerate(calls):
        arguments = _Arguments(call)
        for name, value in call.arguments.items():
            is_key = name.endswith("_id") and not isinstance(value, bool)
            if (
                is_key
                and isinstance(value, int)
                and not any(
                    keys(table.name.replace("_", " ")) & keys(name.removesuffix("_id").replace("_", " "))
                    and value in row.values()
                    and arguments.names(table, row)
                    for table, rows in tables
                    for row in rows
                )
            ):
                groups.setdefault((name, value), []).append(number)
    joined = [(name, dict(marks)) for name, marks in marked]
    for group in groups.values():
        together = [*range(max(0, group[0] - 1), group[0]), *group]  # the call before makes the row
        for number in together:
            for other in together:
                joined[number] = (joined[number][0], joined[other][1] | joined[number][1])
    return joined


def _distractors(
    environment: Environment, marked: Sequence[tuple[str, dict[str, str]]]
) -> dict[str, list[str]]:
    """By kind of what calls were made for: what all other rows of that kind are called."""
    known = {text: kind for _, marks in marked for text, kind in marks.items()}
    distractors: dict[str, list[str]] = {}
    for kind in dict.fromkeys(known.values()):
        table, column = kind.split(".", 1)
        cells = (row.get(column) for row in environment.seed_data.rows.get(table, ()))
        texts = dict.fromkeys(str(cell) for cell in cells if cell is not None)
        distractors[kind] = [text for text in texts if text not in known][:_MOST_DISTRACTORS]
    return distractors


def _left(environment: Environment, task: Task, calls: Sequence[ToolCall]) -> set[str]:
    """The tools that were called for some rows of what was named, and not for others like them."""
    left: set[str] = set()
    tools = {call.name: [_Arguments(each) for each in calls if each.name == call.name] for call in calls}
    for table in environment.schema.tables:
        rows = environment.seed_data.rows.get(table.name, ())
        for name, named in tools.items():
            listed = [row for row in rows if any(call.names(table, row) for call in named)]
            others = [row for row in rows if row not in listed]
            if any(_is_like(environment, task, table, row, other) for row in listed for other in others):
                left.add(name)
    return left


def _is_like(environment: Environment, task: Task, table: Table, row: Row, other: Row) -> bool:
    """Whether two rows belong to the same of what the instruction names, in the same state."""
    states = [name for name in row if name in _STATES]
    if not states or any(row[name] != other.get(name) for name in states):
        return False
    for foreign in table.foreign_keys:
        wanted = [row.get(column) for column in foreign.columns]
        if wanted != [other.get(column) for column in foreign.columns]:
            continue
        for _, referred in _referred(environment, table, row):
            names = [cell for cell in referred.values() if isinstance(cell, str) and is_name(cell)]
            reached = [referred.get(column) for column in foreign.references] == wanted
            if reached and any(cell in task.instruction for cell in names):
                return True
    return False


class _Arguments:
    """A call's arguments as keys are looked for in them.

    Args:
        call: The call.
    """

    def __init__(self, call: ToolCall) -> None:
        self.name, self.arguments = call.name, call.arguments
        self.values = frozenset(_given(call))

    def names(self, table: Table, row: Row) -> bool:
        """Whether the values of a row's key are among them; plain numbers only under its name."""
        values = [row.get(column) for column in table.primary_key]
        if not values or not self.values.issuperset(values):
            return False
        if any(isinstance(value, str) for value in values):
            return True
        named = keys(table.name.replace("_", " "))
        by = [name for name, value in self.arguments.items() if value in values]
        words = " ".join(self.name if name == "id" else name for name in by)
        return bool(named & keys(words.replace("_", " "))) or not by


def _referred(environment: Environment, table: Table, row: Row) -> Iterator[tuple[Table, Row]]:
    for foreign in table.foreign_keys:
        wanted = tuple(row.get(column) for column in foreign.columns)
        target = environment.schema.table(foreign.table)
        if target is None or None in wanted:
            continue
        for other in environment.seed_data.rows.get(foreign.table, ()):
            if tuple(other.get(column) for column in foreign.references) == wanted:
                yield target, other
                break
