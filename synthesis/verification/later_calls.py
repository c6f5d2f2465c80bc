"""Later calls: tools called from the states in which reference solutions end, not from the first alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, NamedTuple

from synthesis.documents.environment import Environment
from synthesis.documents.tools import Tool, ToolCall, ToolResult
from synthesis.verification.reference_run import MOST_ROWS, ReferenceRun, Rows
from synthesis.verification.row_calls import states_of
from synthesis.verification.tool_contract import candidates
from synthesis.verification.tool_trial import more_at_once, row_calls, row_values
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import Instance

MOST_STATES = 6
"""End states from which tools are called; those of the tasks with most changed rows."""
_READS, _WRITES, _STUBBORN = 2, 1, 6
"""Calls of a tool from each state: one that reads, one that writes, one that never succeeded so far."""


MOST_ROW_STATES = 24
"""Rows in a state that reference solutions bring about with which tools are called where it occurs."""


@dataclass(frozen=True, slots=True)
class LaterState:
    """A state in which a reference solution ends, or that it comes through.

    Attributes:
        task_id: Whose solution.
        preceding: The calls that lead there.
        state: It.
        rows: Its rows by table.
    """

    task_id: str
    preceding: tuple[ToolCall, ...]
    state: Snapshot
    rows: Rows


class _ChangedRow(NamedTuple):
    run: ReferenceRun
    at: int
    """Place of the call that left it so."""
    table: str
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LaterCall:
    """One call from a later state and what it came to."""

    at: LaterState
    call: ToolCall
    result: ToolResult


def later_states(runs: Iterable[ReferenceRun]) -> list[LaterState]:
    """The states in which clean reference solutions end that changed something, each once."""
    changing = sorted(
        (run for run in runs if run.clean and run.changes), key=lambda run: -len(run.changes.changes)
    )
    unlike = {run.after.hash: run for run in reversed(changing)}
    chosen = [run for run in changing if unlike[run.after.hash] is run][:MOST_STATES]
    return [LaterState(run.task.id, run.task.reference_solution, run.after, run.rows) for run in chosen]


def call_later(
    instance: Instance,
    tools: Sequence[Tool],
    environment: Environment,
    states: Sequence[LaterState],
    stubborn: frozenset[str],
) -> list[LaterCall]:
    """Call every tool a few times from every state.

    Args:
        instance: Where; it keeps its process.
        tools: Which of its tools.
        environment: Its design, for arguments.
        states: From where.
        stubborn: Names of tools that no call has succeeded with so far; they are tried more often.

    Raises:
        WorldError: The world cannot go on.
    """
    results: list[LaterCall] = []
    for at in states:
        values = row_values(at.rows, environment)
        instance.restore(at.state)
        calls = [
            call
            for tool in sorted(tools, key=lambda tool: tool.mutates_state)
            for call in candidates(tool, values, _STUBBORN if tool.name in stubborn else _few(tool))
        ]
        results += _called(instance, at, calls)
    return results


def call_with_changed_rows(
    instance: Instance,
    tools: Sequence[Tool],
    environment: Environment,
    runs: Iterable[ReferenceRun],
    base: Rows,
) -> list[LaterCall]:
    """Call tools with rows in every state that reference solutions bring about and the first rows have not.

    Each such row is tried right after the call that brings it there, which may be in the midst of a solution.

    Args:
        instance: Where; it keeps its process.
        tools: Which of its tools.
        environment: Its design.
        runs: Of the reference solutions.
        base: Rows of the untouched world by table.

    Raises:
        WorldError: The world cannot go on.
    """
    results: list[LaterCall] = []
    changed = list(islice(_changed_rows(environment, runs, base), MOST_ROW_STATES))
    for _, members in groupby(changed, key=lambda each: (each.run.task.id, each.at)):
        group = list(members)
        run, at = group[0].run, group[0].at
        instance.restore(run.states[at])
        rows = instance.rows(limit=MOST_ROWS)
        later = LaterState(run.task.id, run.task.reference_solution[: at + 1], run.states[at], rows)
        from_rows = row_calls(rows, environment)
        calls = [
            call
            for tool in sorted(tools, key=lambda tool: tool.mutates_state)
            for each in group
            for call in from_rows.with_row(tool, each.table, each.row)
        ]
        results += _called(instance, later, calls)
    return results


def _changed_rows(
    environment: Environment, runs: Iterable[ReferenceRun], base: Rows
) -> Iterator[_ChangedRow]:
    """Rows that calls of reference solutions leave in a state in which no row was before, each state once."""
    tables = {table.name: table for table in environment.schema.tables if len(table.primary_key) == 1}
    known = {
        (name, False, states_of(table, row)) for name, table in tables.items() for row in base.get(name, ())
    }
    for run in runs:
        for at, result in enumerate(run.results):
            for change in result.changes.changes:
                row, table = change.after or change.before, tables.get(change.table)
                if row is None or table is None:
                    continue
                state = table.name, change.kind == "deleted", states_of(table, row)
                if state not in known:
                    known.add(state)
                    yield _ChangedRow(run, at, table.name, row)


def _few(tool: Tool) -> int:
    return _WRITES if tool.mutates_state else _READS


def _called(instance: Instance, at: LaterState, calls: Sequence[ToolCall]) -> list[LaterCall]:
    """The calls, each from the same rows."""
    results: list[ToolResult] = []
    at_once = 1
    while len(results) < len(calls):
        results += instance.call_each(at.state, calls[len(results) : len(results) + at_once])
        at_once = more_at_once(results, at_once)
    return [LaterCall(at, call, result) for call, result in zip(calls, results, strict=True)]
