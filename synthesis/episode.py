"""Episode: one try at one task on one instance, in Gymnasium's terms.

    with Episode(world, "read_total_owed") as episode:
        observation, info = episode.reset(seed=7)
        observation, reward, terminated, truncated, info = episode.step(ToolCall(name="find_patients", ...))

The reward comes with the step that ends the episode and is 0.0 before. An episode that could not be measured
has none: None is no zero. `reset`, `snapshot` and `verify` are never tools: an agent reaches the world
through `step` alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from types import TracebackType
from typing import Any, Self

from pydantic import Field, JsonValue

from synthesis.documents.answer_form import AnswerForm, taken
from synthesis.documents.briefing import Briefing, briefing_of
from synthesis.documents.conversation import Conversation
from synthesis.documents.document import Document
from synthesis.documents.evidence import evidence_of
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.documents.trajectory import Action, FinalAnswer, Malformed, Step, StopReason, Trajectory, Usage
from synthesis.documents.verdict import Scored, Unscored, Verdict
from synthesis.errors import InvalidInput, SandboxError, UnknownName
from synthesis.verification.rewards import RewardTable
from synthesis.verification.verifier import verify
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import Instance, World

Observed = tuple[JsonValue, float | None, bool, bool, dict[str, Any]]
"""Observation, reward, terminated, truncated, info: what Gymnasium's `step` returns; an unscored end has no
reward."""


_NOTHING = StateDiff()


class EpisodeLimits(Document):
    """What ends an episode that the agent does not end itself."""

    max_steps: int | None = Field(default=None, ge=1)
    """Tool calls; a call beyond it is not made. The final answer does not count. None: as many as the task
    allows."""
    seconds: float | None = Field(default=None, gt=0)
    """Wall-clock seconds for the whole episode, looked at before each call; None for no limit."""


class Episode:
    """One try at one task.

    Args:
        world: The compiled environment; the episode opens and closes one instance of it.
        task_id: What the agent is asked.
        limits: When to cut it off.
        rewards: The number behind each label.
        answer_form: What of a final answer is measured: its text, its fields, or both.
        conversation: Gives what was said until now, for verifiers that ask for it; without it, what stands
            beside the actions.

    Raises:
        UnknownName: The environment has no such task.
    """

    def __init__(
        self,
        world: World,
        task_id: str,
        *,
        limits: EpisodeLimits | None = None,
        rewards: RewardTable | None = None,
        answer_form: AnswerForm = "both",
        conversation: Callable[[], Conversation] | None = None,
    ) -> None:
        task = world.environment.task(task_id)
        if task is None:
            raise UnknownName("task", task_id, [known.id for known in world.environment.tasks.tasks])
        self.world = world
        self.task: Task = task
        self.limits = limits or EpisodeLimits()
        self.rewards = rewards or RewardTable()
        self.answer_form: AnswerForm = answer_form
        self._conversation = conversation
        self._instance: Instance | None = None
        self._before: Snapshot | None = None
        self._clear(seed=0)

    @property
    def instance(self) -> Instance:
        """The live instance.

        Raises:
            InvalidInput: The episode was not reset yet, or is closed.
        """
        if self._instance is None:
            raise InvalidInput(
                "The episode has no instance: call reset() before step(), and not after close()."
            )
        return self._instance

    @cached_property
    def _briefing(self) -> Briefing:
        briefing = briefing_of(self.world.environment, self.task, self.answer_form)
        return briefing.model_copy(update={"max_steps": self.max_steps})

    @property
    def max_steps(self) -> int:
        """Tool calls that may be made: those of the limits, or as many as the task allows."""
        return self.limits.max_steps or self.task.step_limit

    @property
    def begun(self) -> bool:
        """Whether it was reset at least once and not closed."""
        return self._before is not None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps until now."""
        return tuple(self._steps)

    @property
    def verdict(self) -> Verdict | None:
        """What the episode was worth; None until it ended."""
        return self._verdict

    @property
    def ended(self) -> bool:
        """Whether it terminated or was truncated."""
        return self._stop_reason is not None

    def reset(self, seed: int | None = None) -> tuple[JsonValue, dict[str, Any]]:
        """Start over on a fresh state.

        Args:
            seed: Seed of the instance's random numbers; None keeps the last one (0 at first).

        Returns:
            What the agent is told (see `synthesis.documents.briefing`), and an info dict with the tools.
        """
        seed = self._seed if seed is None else seed
        if self._instance is None:
            self._instance = self.world.instance(seed=seed)
        else:
            self._instance.reset(seed=seed)
        self._clear(seed=seed)
        self._before = self.world.base
        message: JsonValue = self._briefing.model_dump(mode="json")
        return message, {"tools": self.world.tools, "state_hash": self._before.hash}

    def step(self, action: Action, *, thought: str = "", usage: Usage | None = None) -> Observed:
        """Take one action.

        Args:
            action: A tool call, the final answer, or what could not be read as either.
            thought: What the agent wrote beside it, for the record.
            usage: What the completion behind it used, for the record.

        Returns:
            Observation, reward (None where the episode ended unscored), terminated, truncated, info
            (`status`, `changes`, `state_hash`, the `result` of a call; at the end `verdict` and
            `stop_reason`).

        Raises:
            InvalidInput: The episode was not reset, or it already ended.
            WorldError: The world cannot go on and could not be restored.
        """
        if self._before is None or self.ended:
            raise InvalidInput("The episode has ended or has not begun: call reset() before step().")
        match action:
            case FinalAnswer():
                self._record(action, "answered", None, thought=thought, usage=usage)
                return self._end("answered")
            case Malformed():
                self._record(action, "malformed", {"error": action.error}, thought=thought, usage=usage)
                return self._end("token_limit" if action.cut_off else "format_violation")
            case ToolCall():
                return self._call(action, thought=thought, usage=usage)

    def stop(self, reason: StopReason, *, error: str = "") -> Observed:
        """End it from outside: a limit of the agent, a failing model endpoint, a cancelled run.

        Args:
            reason: Why.
            error: What went wrong, for the reasons that are errors.
        """
        if self._before is None or self.ended:
            raise InvalidInput("The episode has ended or has not begun: there is nothing to stop.")
        self._error = error
        return self._end(reason)

    def trajectory(self, *, agent: str, model: str | None = None) -> Trajectory:
        """The record so far.

        Args:
            agent: Who acted.
            model: Which model was behind it, if one was.
        """
        return Trajectory(
            environment=self.world.environment.fingerprint,
            environment_name=self.world.environment.name,
            task_id=self.task.id,
            agent=agent,
            model=model,
            seed=self._seed,
            steps=tuple(self._steps),
            stop_reason=self._stop_reason or "agent_stopped",
            error=self._error,
        )

    def close(self) -> None:
        """Give the instance back. Twice does no harm."""
        if self._instance is not None:
            self._instance.close()
            self._instance = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _clear(self, *, seed: int) -> None:
        self._seed = seed
        self._steps: list[Step] = []
        self._stop_reason: StopReason | None = None
        self._verdict: Verdict | None = None
        self._error = ""
        self._before = None
        self._failed_calls = 0
        self._began = time.monotonic()

    def _call(self, call: ToolCall, *, thought: str, usage: Usage | None) -> Observed:
        if sum(isinstance(step.action, ToolCall) for step in self._steps) >= self.max_steps:
            return self._end("step_limit")
        if self.limits.seconds is not None and time.monotonic() - self._began > self.limits.seconds:
            return self._end("time_limit")
        result = self.instance.call(call.name, call.arguments, hashed=True)
        if result.status == "error":
            self._failed_calls += 1
        self._record(call, result.status, result, thought=thought, usage=usage)
        step = self._steps[-1]
        return step.observation, 0.0, False, False, {**_info(step), "result": result}

    def _record(
        self,
        action: Action,
        status: Any,
        result: ToolResult | JsonValue,
        *,
        thought: str,
        usage: Usage | None,
    ) -> None:
        called = isinstance(result, ToolResult)
        changes = result.changes if isinstance(result, ToolResult) else _NOTHING
        began = self._before.hash if self._before else ""
        unchanged = self._steps[-1].state_hash if self._steps else began
        self._steps.append(
            # Of validated parts: to validate a large observation again takes longer than a call.
            Step.of_valid_parts(
                index=len(self._steps) + 1,
                action=action,
                thought=thought,
                status=status,
                observation=result.observation() if isinstance(result, ToolResult) else result,
                changes=changes,
                state_hash=self.instance.state_hash() if called and changes else unchanged,
                usage=usage,
            )
        )

    def _end(self, reason: StopReason) -> Observed:
        self._stop_reason = reason
        self._verdict = self._judge(reason)
        last = self._steps[-1] if self._steps else None
        terminated = reason in ("answered", "format_violation")
        info = {**(_info(last) if last else {}), "verdict": self._verdict, "stop_reason": reason}
        return (last.observation if last else None), self._verdict.reward, terminated, not terminated, info

    def _judge(self, reason: StopReason) -> Verdict:
        assert self._before is not None
        if reason in ("infrastructure_error", "cancelled"):
            why = self._error or "no details are known"
            return Unscored(error=f"The episode did not finish ({reason}): {why}", basis="episode")
        if reason == "format_violation":
            return Scored(
                label="agent_error",
                reward=self.rewards.format_violation,
                basis="format",
                share=0.0,
                explanation="An action was neither a tool call nor an answer; such an episode ends at once.",
            )
        if reason == "environment_error":
            return self._environment_error(self._error)
        last = self._steps[-1].action if self._steps else None
        answer = taken(last, self.answer_form) if isinstance(last, FinalAnswer) else ""
        try:
            after = self._end_state()
        except SandboxError as error:
            return Unscored(error=f"The end state could not be read: {error}", basis="episode")
        return verify(
            self.world,
            self.task.id,
            self._before,
            after,
            answer,
            rewards=self.rewards,
            failed_calls=self._failed_calls,
            evidence=evidence_of(
                self._steps,
                self._conversation() if self._conversation is not None else None,
                instruction=self.task.instruction,
            ),
        )

    def _end_state(self) -> Snapshot:
        """The state at the end; an instance that never changed a row need not be asked."""
        if any(step.changes for step in self._steps):
            return self.instance.snapshot()
        assert self._before is not None
        return self._before

    def _environment_error(self, explanation: str) -> Scored:
        return Scored(
            label="environment_error",
            reward=self.rewards.environment_error,
            basis="environment",
            share=0.0,
            explanation=explanation[:1_000],
            trainable=False,
        )


def _info(step: Step) -> dict[str, Any]:
    return {"status": step.status, "changes": step.changes, "state_hash": step.state_hash}
