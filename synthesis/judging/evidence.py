"""Evidence: what a judge sees of one episode, with everything untrusted marked as data."""

from __future__ import annotations

import json
import secrets
from typing import Any

from pydantic import JsonValue

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.document import Document
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.trajectory import Trajectory
from synthesis.documents.verdict import Scored, Verdict
from synthesis.errors import UnknownName

LONGEST_QUOTE = 2_000
"""Characters of one observation, argument list or answer that are shown."""
MOST_STEPS = 60
MOST_CHANGES = 60


class Evidence(Document):
    """One episode as a judge sees it. Texts in it were written by agents, tools and models: data, no
    orders.
    """

    task: Task
    policy: str | None = None
    trajectory: Trajectory
    verdict: Verdict | None = None
    """What code says; None for a judge that is to decide alone."""

    def without_code(self) -> Evidence:
        """The same episode without what code said and without the solution's facts."""
        return self.replace(verdict=None)


def evidence_of(environment: Environment, judged: JudgedTrajectory) -> Evidence:
    """The evidence of one judged trajectory.

    Raises:
        UnknownName: The environment has no such task.
    """
    task = environment.task(judged.trajectory.task_id)
    if task is None:
        raise UnknownName("task", judged.trajectory.task_id, [one.id for one in environment.tasks.tasks])
    return Evidence(
        task=task,
        policy=environment.policy.text if environment.policy else None,
        trajectory=judged.trajectory,
        verdict=judged.verdicts[0] if judged.verdicts else None,
    )


def quoted(evidence: Evidence, *, fence: str | None = None) -> tuple[str, str]:
    """The evidence as text between two lines that no quoted text can forge; see `fenced`."""
    return fenced(_shown(evidence), fence=fence)


def fenced(value: Any, *, fence: str | None = None) -> tuple[str, str]:
    """Something untrusted as text between two lines that nothing in it can forge.

    Args:
        value: What to show; anything JSON can express.
        fence: The word on those lines; a random one when left out. Occurrences in the value are taken
            out, and since all of it is JSON, no line of it begins with anything but its syntax.

    Returns:
        The text with its fences, and the word.
    """
    word = fence or f"EVIDENCE-{secrets.token_hex(8)}"
    body = json.dumps(value, ensure_ascii=False, indent=1).replace(word, "")
    return f"<<<{word}\n{body}\n{word}>>>", word


def _shown(evidence: Evidence) -> dict[str, Any]:
    task, trajectory = evidence.task, evidence.trajectory
    shown: dict[str, Any] = {
        "instruction": task.instruction,
        "kind_of_task": task.kind,
        "policy": evidence.policy,
        "steps": [_step(step) for step in trajectory.steps[:MOST_STEPS]],
        "steps_left_out": max(0, len(trajectory.steps) - MOST_STEPS),
        "row_changes": _changes(trajectory),
        "final_answer": _cut(trajectory.answer),
        "stop_reason": trajectory.stop_reason,
    }
    if isinstance(evidence.verdict, Scored):
        shown["checks_by_code"] = [
            {
                "check": outcome.name,
                "holds": outcome.passed,
                "guard": outcome.guard,
                "saw": _cut(outcome.detail),
            }
            for outcome in evidence.verdict.outcomes
        ]
    elif evidence.verdict is not None:
        shown["checks_by_code"] = f"the verifier failed: {evidence.verdict.error}"
    return shown


def _step(step: Any) -> dict[str, Any]:
    return {
        "number": step.index,
        "action": _cut(step.action.model_dump(mode="json")),
        "status": step.status,
        "observation": _cut(step.observation),
    }


def _changes(trajectory: Trajectory) -> list[JsonValue]:
    changes = [change for step in trajectory.steps for change in step.changes.changes]
    return [_cut(change.model_dump(mode="json")) for change in changes[:MOST_CHANGES]]


def _cut(value: Any) -> JsonValue:
    """A value as it is, or the beginning of its JSON text where that is too long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST_QUOTE:
        shown: JsonValue = value
        return shown
    return f"{text[:LONGEST_QUOTE]}... ({len(text)} characters)"
