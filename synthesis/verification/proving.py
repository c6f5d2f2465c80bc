"""Proving: what the claims about one environment share, each thing made once and only when it is asked
for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from types import TracebackType
from typing import NamedTuple, Self

from synthesis.documents.environment import Environment
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.verification.equivalents import Equivalent, equivalents
from synthesis.verification.measurements import End, Measured, Measurements
from synthesis.verification.proof import Mutant
from synthesis.verification.reference_run import ReferenceRun, run_reference, same_but_volatile
from synthesis.verification.rehearsal import Rehearsal
from synthesis.verification.revealed import Revealed
from synthesis.verification.row_edits import Edited, Laboratory
from synthesis.verification.tool_trial import ToolTrial, try_tools
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import World

MOST_LEFT_OUT = 6
"""Changing calls of one solution that are left out in turn."""


class Unfinished(NamedTuple):
    """The end of a reference solution of which one call was left out."""

    call: ToolCall
    state: Snapshot
    changes: StateDiff
    """Rows that differ from the world's first state."""


class Proving:
    """One environment on trial.

    Args:
        environment: The design.
        world: A world of it, if there is one already; it is not closed.

    The properties raise `WorldError` where the environment does not get that far.
    """

    def __init__(self, environment: Environment, *, world: World | None = None) -> None:
        self.environment = environment
        self._given = world
        self.told: dict[str, Revealed] = {}
        """By task: what an agent knows before its first call."""
        self.measurements = Measurements(lambda: self.world)
        """What the verifiers say of the ends that were tried."""
        self._references: dict[str, ReferenceRun] = {}
        self._equivalents: dict[str, list[Equivalent]] = {}
        self._unfinished: dict[str, list[Unfinished]] = {}
        self._states: dict[tuple[str, str], Edited | None] = {}

    @cached_property
    def world(self) -> World:
        """The world of the environment."""
        return self._given or World(self.environment)

    @cached_property
    def laboratory(self) -> Laboratory:
        """Where states are edited."""
        return Laboratory(self.world)

    @cached_property
    def rehearsal(self) -> Rehearsal:
        """Where other ways than the reference solutions are tried."""
        return Rehearsal(self.world)

    @cached_property
    def tool_trials(self) -> list[ToolTrial]:
        """What the calls of every tool came to."""
        return try_tools(self.world, self.environment)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks."""
        return self.environment.tasks.tasks

    def reference(self, task: Task) -> ReferenceRun:
        """The run of a task's reference solution."""
        if task.id not in self._references:
            self._references[task.id] = run_reference(self.world, task, self.rehearsal)
        return self._references[task.id]

    @property
    def solution_calls(self) -> Iterator[tuple[Task, ToolCall, ToolResult]]:
        """Every call of every reference solution with what it came to."""
        for task in self.tasks:
            for call, result in zip(task.reference_solution, self.reference(task).results, strict=True):
                yield task, call, result

    def measured(self, task: Task, after: Snapshot, answer: str) -> Measured:
        """What a task's verifier and facts say of an end state and an answer."""
        return self.measurements.of(End(task, after, answer))

    def mutated(self, task: Task, mutant: Mutant) -> Edited | None:
        """The state of a mutant and how it differs from the right one.

        None when the schema allows none of its variants, or it equals the right one.
        """
        place = (task.id, mutant.description)
        if place not in self._states:
            run = self.reference(task)
            start = run.after if mutant.start == "after" else run.before
            self._states[place] = self.laboratory.make(start, mutant.variants, unlike=run.after.hash)
        return self._states[place]

    def equivalents(self, task: Task) -> list[Equivalent]:
        """Other ways to the right end of a task, found by bounded search."""
        if task.id not in self._equivalents:
            self._equivalents[task.id] = list(equivalents(self.world, self.reference(task), self.rehearsal))
        return self._equivalents[task.id]

    def unfinished(self, task: Task) -> list[Unfinished]:
        """States that the reference solution reaches when one of its changing calls is left out.

        Only states that differ from the right one in more than what depends on the time.
        """
        if task.id not in self._unfinished:
            self._unfinished[task.id] = self._leave_out(task)
        return self._unfinished[task.id]

    def _leave_out(self, task: Task) -> list[Unfinished]:
        run = self.reference(task)
        calls = task.reference_solution
        changing = [at for at, result in enumerate(run.results) if result.changes]
        found = []
        for at in changing[:MOST_LEFT_OUT] if len(changing) > 1 else []:
            _, changes = self.rehearsal.play(calls[at + 1 :], start=run.before_call(at))
            if not same_but_volatile(changes, run.changes, run.volatile):
                found.append(Unfinished(calls[at], self.rehearsal.state(), changes))
        return found

    def close(self) -> None:
        """End what it started; a world that was given stays open."""
        if "rehearsal" in self.__dict__:
            self.rehearsal.close()
        if "laboratory" in self.__dict__:
            self.laboratory.close()
        if self._given is None and "world" in self.__dict__:
            self.world.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
