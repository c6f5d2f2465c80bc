"""Conversation: a trajectory as the chat that it was, for the formats that models are trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import JsonValue

from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed, Step
from synthesis.documents.verdict import Scored, Verdict
from synthesis.errors import InvalidInput

_NOT_THE_AGENT = frozenset({"environment_error", "infrastructure_error", "cancelled"})
"""Stop reasons that say nothing about the agent."""


@dataclass(frozen=True)
class Turn:
    """One step of the agent: what it wrote, what it called, what came back."""

    step: Step
    text: str
    call: ToolCall | None
    observation: str | None
    """JSON text of what the tool brought; None where nothing was called."""

    @property
    def call_id(self) -> str:
        """The id by which the result names its call."""
        return f"call_{self.step.index}"


def turns(judged: JudgedTrajectory) -> list[Turn]:
    """The agent's steps in order."""
    return [_turn(step) for step in judged.trajectory.steps]


def _turn(step: Step) -> Turn:
    match step.action:
        case ToolCall() as call:
            return Turn(step, step.thought, call, json_text(step.observation))
        case FinalAnswer(text=text) | Malformed(text=text):
            return Turn(step, text, None, None)


def system_prompt(environment: Environment) -> str:
    """What an agent is told of an environment before its task: the application, its clock, its policy.

    The prompt of the agent that played is not recorded; this one says the same facts.
    """
    scenario = environment.scenario
    parts = [
        "You act for a user of this application through its tools.",
        f"# {scenario.title}\n\n{scenario.description}",
        f"Its clock shows {scenario.clock:%A}, {scenario.clock:%Y-%m-%d %H:%M}.",
    ]
    if environment.policy:
        parts.append(f"# Policy\n\n{environment.policy.text}")
    return "\n\n".join(parts)


def task_of(bundle: Bundle, judged: JudgedTrajectory) -> Task:
    """The task a trajectory was played for.

    Raises:
        InvalidInput: It belongs to another environment.
    """
    trajectory = judged.trajectory
    task = bundle.environment.task(trajectory.task_id)
    if task is None:
        raise InvalidInput(
            f"A trajectory is of task {trajectory.task_id!r}, which {bundle.environment.name} lacks."
        )
    return task


def judged_trajectories(bundle: Bundle) -> tuple[JudgedTrajectory, ...]:
    """The trajectories of a bundle.

    Raises:
        InvalidInput: It has none.
    """
    if not bundle.trajectories:
        raise InvalidInput(
            f"The bundle of {bundle.environment.name} holds no trajectories; roll some out first."
        )
    return bundle.trajectories


def outcome(judged: JudgedTrajectory) -> dict[str, JsonValue]:
    """What a trajectory was worth: the first scored verdict decides; a failed measurement is no score."""
    verdict: Verdict | None = next((v for v in judged.verdicts if isinstance(v, Scored)), None)
    stop_reason = judged.trajectory.stop_reason
    return {
        "reward": verdict.reward if verdict else None,
        "label": verdict.label if verdict else "unscored",
        "basis": verdict.basis if verdict else None,
        "trainable": bool(verdict and verdict.trainable) and stop_reason not in _NOT_THE_AGENT,
        "stop_reason": stop_reason,
    }


def function_of(tool: Tool) -> dict[str, Any]:
    """A tool as OpenAI's function calling describes it."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}


def json_text(value: Any) -> str:
    """A value as compact JSON text."""
    return orjson.dumps(value).decode()
