"""Proving: what the claims about one environment share, each thing made once and only when it is asked
for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import cached_property
from types import TracebackType
from typing import Self

from synthesis.documents.environment import Environment
from synthesis.documents.evidence import evidence_of_calls
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.errors import SandboxUnavailable, WorldError
from synthesis.reading.document import parsed
from synthesis.reading.mismatched_forms import currency_of
from synthesis.reading.observations import Observations
from synthesis.verification.answers import observed_in
from synthesis.verification.causes import Causes
from synthesis.verification.distractors import distractors_of, options_of
from synthesis.verification.equivalents import Equivalent, equivalents
from synthesis.verification.later_calls import (
    LaterCall,
    LaterState,
    call_later,
    call_with_changed_rows,
    later_states,
)
from synthesis.verification.measurements import EndState, Measured, Measurements
from synthesis.verification.near_miss_trials import NearMissTrial, Subject, try_near_misses
from synthesis.verification.near_misses import NearMiss, NearMissMaker
from synthesis.verification.reference_run import MOST_ROWS, ReferenceRun, Rows, run_reference
from synthesis.verification.replayed_near_misses import SlipMaker, replayed_near_misses
from synthesis.verification.replayer import Replayer
from synthesis.verification.reused_instances import ReusedInstances
from synthesis.verification.revealed import Revealed
from synthesis.verification.row_edits import RowEditor
from synthesis.verification.sound_parts import Remainder, SoundParts
from synthesis.verification.tool_trial import ToolTrial, row_values, try_tools
from synthesis.verification.weakenings import weakenings_of
from synthesis.verification.wordings.making import wordings
from synthesis.verification.wordings.wording import Wording
from synthesis.worlds.limits import Limits
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.toolset import verifiers_findings
from synthesis.worlds.world import Instance, World

PROOF = Limits(patience=5)
"""A proof blames parts of an environment for running out of time, so it must not take a busy machine for slow
code; nobody waits for one of its workers."""
_MOST_BUILDS = 2
"""Times that a world which does not build is tried: the first failure may be the machine's."""


class ProofContext:
    """One environment on trial.

    Args:
        environment: The design.
        world: A world of it, if there is one already; it is not closed.

    The properties raise `WorldError` where the environment does not get that far.
    """

    def __init__(self, environment: Environment, *, world: World | None = None) -> None:
        self.environment = environment
        self._given = world
        self._failures: list[WorldError] = []
        self.revealed_by_task: dict[str, Revealed] = {}
        """By task: what an agent knows before its first call."""
        self.measurements = Measurements(lambda: self.world, self._observed_at)
        """What the verifiers say of the ends that were tried."""
        self._references: dict[str, ReferenceRun] = {}
        self._observed: dict[str, Observations | None] = {}
        self._equivalents: dict[str, list[Equivalent]] = {}
        self._wordings: dict[str, tuple[Wording, ...]] = {}
        self._near_misses: dict[str, tuple[NearMiss, ...]] = {}

    @cached_property
    def world(self) -> World:
        """The world of the environment.

        Raises:
            WorldError: It does not build. Claims that need it do not wait for that again and again: what it
                came to at the last of `_MOST_BUILDS` times is what it comes to.
        """
        if self._given is not None:
            return self._given
        if len(self._failures) >= _MOST_BUILDS:
            raise self._failures[-1]
        try:
            return World(self.environment, limits=PROOF)
        except SandboxUnavailable:
            raise
        except WorldError as error:
            self._failures.append(error)
            raise

    @cached_property
    def causes(self) -> Causes:
        """What was found so far, so that one cause is reported once."""
        return Causes(self.environment)

    @cached_property
    def sound_parts(self) -> SoundParts:
        """What is wrong with the parts before anything is run, and what is left without it."""
        return SoundParts(self.environment)

    def of_the_rest(self, remainder: Remainder) -> ProofContext:
        """A trial of what is left; what follows from causes that were found is not reported again."""
        rest = ProofContext(remainder.environment)
        rest.causes = self.causes
        return rest

    @cached_property
    def row_editor(self) -> RowEditor:
        """Where states are edited."""
        return RowEditor(self.world)

    @cached_property
    def replayer(self) -> Replayer:
        """Where equivalent solutions are tried."""
        return Replayer(self.world)

    @cached_property
    def _reused_instances(self) -> ReusedInstances:
        return ReusedInstances(self.world)

    def instance(self) -> AbstractContextManager[Instance]:
        """An instance in the world's first state, in a process that has been used before.

        Raises:
            WorldError: The world does not build, or cannot begin.
        """
        return self._reused_instances.instance()

    @cached_property
    def tool_trials(self) -> list[ToolTrial]:
        """What the calls of every tool came to."""
        with self.instance() as instance:
            return try_tools(self.world, self.environment, instance)

    @cached_property
    def base_rows(self) -> Rows:
        """Rows of the untouched world by table, at most `MOST_ROWS` of each."""
        with self.instance() as instance:
            return instance.rows(limit=MOST_ROWS)

    @cached_property
    def forbidden_to_verifiers(self) -> dict[str, str]:
        """What a verifier does that none may, by task: it remembers, draws lots, reads a clock."""
        return {
            finding.where: finding.message
            for finding in reversed(verifiers_findings(self.environment.verifiers.verifiers))
            if finding.check == "only_pure_python"
        }

    @cached_property
    def later_states(self) -> list[LaterState]:
        """States in which reference solutions end."""
        return later_states(self.reference(task) for task in self.tasks)

    @cached_property
    def later_calls(self) -> list[LaterCall]:
        """What calls of every tool from these states came to."""
        solved = {call.name for _, call, result in self.solution_calls if result.ok}
        solved |= {
            trial.tool.name for trial in self.tool_trials if any(call.result.ok for call in trial.calls)
        }
        stubborn = frozenset(tool.name for tool in self.world.tools) - solved
        runs = [run for task in self.tasks if (run := self.reference(task)).clean]
        states, rows = self.later_states, self.base_rows
        with self.instance() as instance:
            tools = self.world.tools
            return [
                *call_later(instance, tools, self.environment, states, stubborn),
                *call_with_changed_rows(instance, tools, self.environment, runs, rows),
            ]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks."""
        return self.environment.tasks.tasks

    def reference(self, task: Task) -> ReferenceRun:
        """The run of a task's reference solution."""
        if task.id not in self._references:
            self._references[task.id] = run_reference(self.world, task, self.replayer)
        return self._references[task.id]

    @property
    def solution_calls(self) -> Iterator[tuple[Task, ToolCall, ToolResult]]:
        """Every call of every reference solution with what it came to."""
        for task in self.tasks:
            for call, result in zip(task.reference_solution, self.reference(task).results, strict=True):
                yield task, call, result

    def measured(self, task: Task, after: Snapshot, answer: str) -> Measured:
        """What a task's verifier and facts say of an end state and an answer."""
        return self.measurements.of(EndState(task, after, answer))

    def _observed_at(self, end: EndState) -> Observations | None:
        """What the calls of the reference solution showed, at its end: answers are read beside it as those
        of an episode are. Equivalent solutions showed the same, as far as their answer is the same."""
        task, run = end.task, self.reference(end.task)
        others = self._equivalents.get(task.id, ()) if end.answer == task.reference_answer else ()
        if end.state.hash not in {run.after.hash, *(other.state.hash for other in others)}:
            return None
        if task.id not in self._observed:
            evidence = evidence_of_calls(task.reference_solution, run.results, instruction=task.instruction)
            self._observed[task.id] = observed_in(self.environment, task, evidence)
        return self._observed[task.id]

    def equivalents(self, task: Task) -> list[Equivalent]:
        """Equivalent solutions: other routes to the right end of a task, found by bounded search."""
        if task.id not in self._equivalents:
            run = self.reference(task)
            self._equivalents[task.id] = list(equivalents(self.world, run, self.replayer, self.row_editor))
        return self._equivalents[task.id]

    def wordings(self, task: Task) -> tuple[Wording, ...]:
        """Answers to a task in its right end state, right and wrong ones."""
        if task.id not in self._wordings:
            others = {**options_of(self.environment, task), **distractors_of(self.environment, task)}
            policy = self.environment.policy.text if self.environment.policy else ""
            texts = map(parsed, (task.instruction, task.reference_answer, policy))
            self._wordings[task.id] = wordings(
                task,
                others=others,
                changes=bool(self.reference(task).changes),
                currency=currency_of(*texts),
            )
        return self._wordings[task.id]

    def near_misses(self, task: Task) -> tuple[NearMiss, ...]:
        """All near-misses of a task's end state: edited rows, and ends of solutions with a slip."""
        if task.id not in self._near_misses:
            run = self.reference(task)
            maker = NearMissMaker(self.environment, run)
            slips = replayed_near_misses(
                run,
                self._slip_maker.slips(run),
                self.replayer,
                self.environment.schema,
                maker.demanded,
            )
            self._near_misses[task.id] = (*maker.all(), *slips)
        return self._near_misses[task.id]

    @cached_property
    def near_miss_trials(self) -> list[NearMissTrial]:
        """What the verifiers whose right end state is accepted said of all near-misses."""
        subjects = []
        for task in self.sound_tasks:
            verifier = self.environment.verifier(task.id)
            source = verifier.source if verifier else ""
            subjects.append(
                Subject(
                    task,
                    self.reference(task).after,
                    self.near_misses(task),
                    weakenings_of(source, self.environment.schema),
                    self.measurements.habits_of_task(task),
                )
            )
        return try_near_misses(self.world, subjects)

    @cached_property
    def sound_tasks(self) -> list[Task]:
        """Tasks whose right end state is accepted at all; near-misses of a broken task say nothing."""
        return [
            task
            for task in self.tasks
            if self.reference(task).clean
            and self.measured(task, self.reference(task).after, task.reference_answer).completed
        ]

    @cached_property
    def _slip_maker(self) -> SlipMaker:
        harmful = [
            next(
                (probed.probe.call for probed in trial.calls if probed.result.ok and probed.result.changes),
                None,
            )
            for trial in self.tool_trials
            if trial.tool.mutates_state
        ]
        values = row_values(self.reference(self.tasks[0]).rows if self.tasks else {}, self.environment)
        return SlipMaker(self.world.tools, values, [call for call in harmful if call is not None])

    def close(self) -> None:
        """End what it started; a world that was given stays open."""
        if "_reused_instances" in self.__dict__:
            self._reused_instances.close()
        if "replayer" in self.__dict__:
            self.replayer.close()
        if "row_editor" in self.__dict__:
            self.row_editor.close()
        if self._given is None and "world" in self.__dict__:
            self.world.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
