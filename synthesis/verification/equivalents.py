"""Equivalents: other routes to the right end of a task, by bounded search; verifiers must accept them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import Scalar
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import Tool, ToolCall, ToolResult
from synthesis.verification.reference_run import DELAY_CALLS, ReferenceRun
from synthesis.verification.renumbering import renumbered
from synthesis.verification.replayer import Replayer
from synthesis.verification.row_edits import RowEditor
from synthesis.verification.wrong_answers import in_words
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import World

MOST_SWAPS = 4
"""Pairs of neighbouring calls of one solution that are tried in the other order."""
MOST_TOOLS = 8
"""Other tools that are tried in place of one call."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A right end reached another way."""

    kind: str
    """"later", "looked_twice", "other_order", "other_tool", "other_words", "split", "other_numbers" or
    "bound"."""
    description: str
    calls: tuple[ToolCall, ...]
    state: Snapshot
    answer: str

    @property
    def certain(self) -> bool:
        """Whether it is right beyond doubt; a bound that was read in the instruction's words is not."""
        return self.kind != "bound"


def equivalents(
    world: World, run: ReferenceRun, replayer: Replayer, row_editor: RowEditor
) -> Iterator[Equivalent]:
    """Equivalent solutions: other routes to the end of a reference run, those that really get there.

    An end is the same when its changes are, apart from what depends on the time and from the keys that new
    rows were given.

    Args:
        world: Where.
        run: The reference run.
        replayer: Where equivalent solutions are tried.
        row_editor: Where new rows are given other numbers.
    """
    task = run.task
    if task.answer_facts and all(fact.type != "boolean" for fact in task.answer_facts):
        words = in_words(task, {})
        yield Equivalent("other_words", "the facts in other words", task.reference_solution, run.after, words)
    if not run.changes:
        return
    search = _Search(world, run, replayer)
    yield from search.later()
    yield from search.looked_twice()
    yield from search.other_order()
    yield from search.other_tools()
    yield from search.split()
    yield from search.within_bounds()
    yield from search.other_numbers(row_editor)


class _Search:
    def __init__(self, world: World, run: ReferenceRun, replayer: Replayer) -> None:
        self._world, self._run, self._replayer = world, run, replayer
        self._schema: Schema = world.environment.schema
        self._calls = run.task.reference_solution
        self._end = canonical(run.changes, self._schema, run.volatile)

    def later(self) -> Iterator[Equivalent]:
        """The same calls a little later."""
        late = self._run.late
        if late is not None and self._is_same(late.results, late.changes):
            yield self._equivalent("later", f"{DELAY_CALLS} s later", self._calls, late.after)

    def looked_twice(self) -> Iterator[Equivalent]:
        """Every look is taken twice."""
        looked = [
            again
            for call, result in zip(self._calls, self._run.results, strict=True)
            for again in ([call] if result.changes else [call, call])
        ]
        yield from self._if_same("looked_twice", "every reading call is made twice", looked, unlike_from=0)

    def other_order(self) -> Iterator[Equivalent]:
        """Two neighbouring changing calls, looks between them left where they are, the other way round."""
        changing = [at for at, result in enumerate(self._run.results) if result.changes]
        for first, second in list(pairwise(changing))[:MOST_SWAPS]:
            calls = list(self._calls)
            moved = calls.pop(second)
            calls.insert(first, moved)
            text = f"{moved.name} before {self._calls[first].name}"
            yield from self._if_same("other_order", text, calls, unlike_from=first)
        if len(changing) > 2:
            calls = list(self._calls)
            for place, other in zip(changing, reversed(changing), strict=True):
                calls[place] = self._calls[other]
            text = "every changing call in the opposite order"
            yield from self._if_same("other_order", text, calls, unlike_from=changing[0])

    def other_tools(self) -> Iterator[Equivalent]:
        """One changing call is made with another tool that takes arguments of the same names."""
        for at, result in enumerate(self._run.results):
            if not result.changes:
                continue
            for call in self._stand_ins(at)[:MOST_TOOLS]:
                calls = [*self._calls[:at], call, *self._calls[at + 1 :]]
                text = f"{call.name} instead of {self._calls[at].name}"
                yield from self._if_same("other_tool", text, calls, unlike_from=at)

    def split(self) -> Iterator[Equivalent]:
        """One changing call is made in two steps that add up, where that leads to the same rows."""
        for at, call, name, value in self._amounts():
            steps = [
                call.replace(arguments={**call.arguments, name: part})
                for part in (value // 2, value - value // 2)
                if part
            ]
            calls = [*self._calls[:at], *steps, *self._calls[at + 1 :]]
            if len(steps) == 2:
                text = f"{call.name} twice, {name} = {value} in two parts"
                yield from self._if_same("split", text, calls, unlike_from=at)

    def within_bounds(self) -> Iterator[Equivalent]:
        """A number that the instruction gives as a bound lies within it: one more than at least so many."""
        bounds = dict(_bounds(self._run.task.instruction))
        for at, call, name, value in self._amounts():
            step = bounds.get(value) or bounds.get(value // 100 if value % 100 == 0 else 0, 0) * 100
            if not step:
                continue
            other = call.replace(arguments={**call.arguments, name: value + step})
            calls = [*self._calls[:at], other, *self._calls[at + 1 :]]
            results, _ = self._replayer.play(calls[at:], start=self._run.before_call(at), until_failure=True)
            if _all_ok(results):
                text = f"{call.name} with {name} = {value + step}, which is within what is asked for"
                yield self._equivalent("bound", text, calls, self._replayer.state())

    def other_numbers(self, row_editor: RowEditor) -> Iterator[Equivalent]:
        """New rows have other numbers, as they get them after an addition that was taken back."""
        task = self._run.task
        variants = renumbered(self._run.changes, self._schema, f"{task.instruction}\n{task.reference_answer}")
        edited = row_editor.make(self._run.after, variants) if variants else None
        if edited is not None:
            text = "new rows have other numbers, as after an addition that was taken back"
            yield self._equivalent("other_numbers", text, self._calls, edited.state)

    def _amounts(self) -> Iterator[tuple[int, ToolCall, str, int]]:
        """Numbers in changing calls that name no row: place, call, argument and value."""
        for at, (call, result) in enumerate(zip(self._calls, self._run.results, strict=True)):
            for name, value in call.arguments.items() if result.changes else ():
                if type(value) is int and value > 0 and not name.endswith("id"):
                    yield at, call, name, value

    def _stand_ins(self, at: int) -> list[ToolCall]:
        known: dict[str, Any] = {}
        for result in self._run.results[:at]:
            _collect(result.observation(), known)
        known |= self._calls[at].arguments
        return [
            ToolCall(name=tool.name, arguments={name: known[name] for name in _required(tool)})
            for tool in self._world.tools
            if tool.mutates_state
            and tool.name != self._calls[at].name
            and all(name in known for name in _required(tool))
            and set(self._calls[at].arguments) & set(_required(tool))
        ]

    def _if_same(
        self, kind: str, description: str, calls: Sequence[ToolCall], *, unlike_from: int
    ) -> Iterator[Equivalent]:
        """An equivalent where the calls come to the same end.

        Up to the first call that is not the reference solution's own, the state is the reference run's.
        """
        start = self._run.before_call(unlike_from)
        results, changes = self._replayer.play(calls[unlike_from:], start=start, until_failure=True)
        if self._is_same((*self._run.results[:unlike_from], *results), changes):
            yield self._equivalent(kind, description, calls, self._replayer.state())

    def _is_same(self, results: Sequence[ToolResult], changes: StateDiff) -> bool:
        return _all_ok(results) and canonical(changes, self._schema, self._run.volatile) == self._end

    def _equivalent(
        self, kind: str, description: str, calls: Sequence[ToolCall], state: Snapshot
    ) -> Equivalent:
        return Equivalent(kind, description, tuple(calls), state, self._run.task.reference_answer)


_AT_LEAST = re.compile(
    r"\b(?:at least|no (?:less|fewer) than|a minimum of)\s+\D{0,3}(\d+)|\b(\d+)\s+\w*\s*or more\b",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"\b(?:at most|no more than|a maximum of|up to)\s+\D{0,3}(\d+)|\b(\d+)\s+\w*\s*or (?:less|fewer)\b",
    re.IGNORECASE,
)


def _bounds(instruction: str) -> Iterator[tuple[int, int]]:
    """Numbers that an instruction gives as bounds, each with the step that leads away from it inwards."""
    for pattern, step in ((_AT_LEAST, 1), (_AT_MOST, -1)):
        for match in pattern.finditer(instruction):
            yield int(match[1] or match[2]), step


def canonical(
    changes: StateDiff, schema: Schema, volatile: frozenset[tuple[str, str]]
) -> list[tuple[object, ...]]:
    """Changes in a form that is equal for equal ends: without volatile values and without new rows' own
    keys.
    """
    new = {(change.table, change.key) for change in changes.inserted}
    return sorted((_form(change, schema, volatile, new) for change in changes.changes), key=repr)


def _form(
    change: RowChange,
    schema: Schema,
    volatile: frozenset[tuple[str, str]],
    new: set[tuple[str, Any]],
) -> tuple[object, ...]:
    table = schema.table(change.table)
    parents = (
        {key.columns[0]: key.table for key in table.foreign_keys if len(key.columns) == 1} if table else {}
    )
    own = table.primary_key if table and change.kind == "inserted" else ()

    def shown(column: str, value: Scalar) -> Scalar:
        return f"new {parents[column]}" if (parents.get(column), value) in new else value

    cells = tuple(
        (column, shown(column, value))
        for column, value in (change.after or {}).items()
        if column not in own and (change.table, column) not in volatile
    )
    return (change.table, change.kind, None if change.kind == "inserted" else change.key, cells)


def _all_ok(results: Sequence[ToolResult]) -> bool:
    return all(result.ok for result in results)


def _required(tool: Tool) -> list[str]:
    required = tool.input_schema.get("required", [])
    return [str(name) for name in required] if isinstance(required, list) else []


def _collect(value: Any, known: dict[str, Any]) -> None:
    """The latest scalar under each key of an observation."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                _collect(inner, known)
            else:
                known[key] = inner
    elif isinstance(value, list):
        for inner in value[:20]:
            _collect(inner, known)
