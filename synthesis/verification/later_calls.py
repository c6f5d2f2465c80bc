"""Later calls: tools called from the states in which reference solutions end, not from the first alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from synthesis.documents.environment import Environment
from synthesis.documents.tools import Tool, ToolCall, ToolResult
from synthesis.verification.reference_run import ReferenceRun, Rows
from synthesis.verification.tool_contract import candidates
from synthesis.verification.tool_trial import row_values
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import Instance, World

MOST_STATES = 6
"""End states from which tools are called; those of the tasks with most changed rows."""
_READS, _WRITES, _STUBBORN = 2, 1, 6
"""Calls of a tool from each state: one that reads, one that writes, one that never succeeded so far."""


@dataclass(frozen=True, slots=True)
class LaterState:
    """A state in which a reference solution ends.

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
    world: World, environment: Environment, states: Sequence[LaterState], stubborn: frozenset[str]
) -> list[LaterCall]:
    """Call every tool a few times from every state.

    Args:
        world: Where.
        environment: Its design, for arguments.
        states: From where.
        stubborn: Names of tools that no call has succeeded with so far; they are tried more often.

    Raises:
        WorldError: The world cannot go on.
    """
    results: list[LaterCall] = []
    if not states:
        return results
    with world.instance(keep_process=True) as instance:
        for at in states:
            values = row_values(at.rows, environment)
            instance.restore(at.state)
            for tool in sorted(world.tools, key=lambda tool: tool.mutates_state):
                calls = candidates(tool, values, _STUBBORN if tool.name in stubborn else _few(tool))
                results += _called(instance, at, calls)
    return results


def _few(tool: Tool) -> int:
    return _WRITES if tool.mutates_state else _READS


def _called(instance: Instance, at: LaterState, calls: Sequence[ToolCall]) -> list[LaterCall]:
    """The calls, each from the same rows."""
    calls_made: list[LaterCall] = []
    for call in calls:
        result = instance.call(call.name, call.arguments)
        calls_made.append(LaterCall(at, call, result))
        if result.changes:
            instance.restore(at.state)
    return calls_made
