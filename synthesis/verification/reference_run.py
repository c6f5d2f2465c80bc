"""ReferenceRun: what the reference solution of one task does, call by call, and the state it reaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from synthesis.documents.seed_data import Scalar
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.verification.replayer import Replayer, later
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import Instance, World

DELAY_CALLS = 97
"""Calls by which a second run is late: seconds and minutes differ then, days do not."""

Rows = dict[str, list[dict[str, Scalar]]]


@dataclass(frozen=True, slots=True)
class LateRun:
    """The same calls a little later."""

    results: tuple[ToolResult, ...]
    changes: StateDiff
    after: Snapshot


@dataclass(frozen=True, slots=True)
class ReferenceRun:
    """One run on a fresh instance."""

    task: Task
    results: tuple[ToolResult, ...]
    before: Snapshot
    after: Snapshot
    changes: StateDiff
    """Everything that differs between the two."""
    states: tuple[Snapshot, ...]
    """The state after each call."""
    volatile: frozenset[tuple[str, str]]
    """(table, column) whose value depends on when the agent acts, so that nobody can demand it."""
    rows: Rows
    """All rows of the end state by table, at most `MOST_ROWS` each."""
    late: LateRun | None
    """The run `DELAY_CALLS` later; None where nothing is changed."""

    @property
    def clean(self) -> bool:
        """Whether every call was answered."""
        return all(result.ok for result in self.results)

    def before_call(self, at: int) -> Snapshot:
        """The state in which the call at a place was made, at the time when it was made."""
        state = self.states[at - 1] if at else self.before
        return later(state, self.before.calls + at - state.calls)


MOST_ROWS = 200


def run_reference(world: World, task: Task, replayer: Replayer | None = None) -> ReferenceRun:
    """Play the reference solution of a task, and once more a little later to see what depends on the time.

    Args:
        world: Where.
        task: Whose solution.
        replayer: Where the later run is played; one of its own otherwise.

    Raises:
        WorldError: The world cannot go on.
    """
    with world.instance() as instance:
        results, states = _play(instance, task.reference_solution, world.base)
        changes = instance.diff() if any(result.changes for result in results) else StateDiff()
        rows: Rows = instance.rows(limit=MOST_ROWS)
    after = states[-1] if states else world.base
    late = _late(replayer or Replayer(world), task) if changes else None
    volatile = _volatile(changes, late.changes) if late else frozenset()
    return ReferenceRun(
        task=task,
        results=tuple(results),
        before=world.base,
        after=after,
        changes=changes,
        states=tuple(states),
        volatile=volatile,
        rows=rows,
        late=late,
    )


def play(
    world: World, calls: Sequence[ToolCall], *, delay: int = 0
) -> tuple[list[ToolResult], Snapshot, StateDiff]:
    """Make calls on a fresh instance: their results, the end state and what changed.

    Args:
        world: Where.
        calls: What to call.
        delay: Calls (and so seconds) by which the world's clock is ahead at the start.
    """
    with world.instance() as instance:
        if delay:
            instance.restore(later(world.base, delay))
        results = instance.call_many(calls)
        if not any(result.changes for result in results):
            return results, world.base, StateDiff()
        return results, instance.snapshot(), instance.diff(world.base)


def same_but_volatile(one: StateDiff, other: StateDiff, volatile: frozenset[tuple[str, str]]) -> bool:
    """Whether two sets of changes differ in volatile columns only."""
    return _fixed(one, volatile) == _fixed(other, volatile)


def _play(
    instance: Instance, calls: Sequence[ToolCall], base: Snapshot
) -> tuple[list[ToolResult], list[Snapshot]]:
    results, states = [], []
    state = base
    for call in calls:
        result = instance.call(call.name, call.arguments)
        state = instance.snapshot() if result.changes else state
        results.append(result)
        states.append(state)
    return results, states


def _late(replayer: Replayer, task: Task) -> LateRun:
    results, changes = replayer.play(task.reference_solution, start=replayer.later(DELAY_CALLS))
    return LateRun(tuple(results), changes, replayer.state())


def _volatile(changes: StateDiff, late: StateDiff) -> frozenset[tuple[str, str]]:
    then = {(change.table, change.key): change for change in late.changes}
    results = set()
    for change in changes.changes:
        other = then.get((change.table, change.key))
        if change.after and other is not None and other.after:
            results |= {
                (change.table, column)
                for column, value in change.after.items()
                if other.after.get(column) != value
            }
    return frozenset(results)


def _fixed(diff: StateDiff, volatile: frozenset[tuple[str, str]]) -> list[tuple[object, ...]]:
    return [
        (change.table, change.key, change.kind, tuple(_values(change, volatile))) for change in diff.changes
    ]


def _values(change: RowChange, volatile: frozenset[tuple[str, str]]) -> list[tuple[str, Scalar]]:
    return [
        (column, value)
        for column, value in (change.after or {}).items()
        if (change.table, column) not in volatile
    ]
