"""Failures: what went wrong in a rollout, counted and named, for people and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.document import Document
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step
from synthesis.documents.verdict import Scored

LOOP_SHARE = 0.5
"""An episode whose calls are repetitions to this share went round in circles."""

LEAST_LOOP = 2
"""Repetitions that are a loop; one is a second try."""

FAILURE_TITLES = {
    "format": "Broke the format rule",
    "loop": "Repeated itself",
    "limit": "Reached a limit",
    "gave_up": "Stopped without an answer",
    "claimed_without_acting": "Claimed success, changed nothing",
    "bad_arguments": "Never got a call right",
    "after_refusal": "Ignored a refusal",
    "wrong_change": "Changed the wrong rows",
    "wrong_answer": "Answered wrongly",
}
"""Kind of failure to the words for it, in the order in which they are looked for."""

_LIMITS = ("step_limit", "token_limit", "time_limit")


class Failures(Document):
    """What did not go through in one rollout."""

    kind: str = ""
    """A key of `FAILURE_TITLES`; empty when the rollout succeeded or its outcome says nothing."""
    refused: int = Field(default=0, ge=0)
    """Calls a tool declined."""
    invalid: int = Field(default=0, ge=0)
    """Calls of unknown tools or with bad arguments, and actions that could not be read."""
    failed: int = Field(default=0, ge=0)
    """Calls in which a tool broke."""
    repeated: int = Field(default=0, ge=0)
    """Calls made before with the same arguments."""
    first_wrong_step: int | None = None
    """The first step that did not go through, from 1."""
    stop_reason: str = ""


def failures(judged: JudgedTrajectory, task: Task | None = None) -> Failures:
    """What went wrong in one rollout.

    Args:
        judged: The rollout; its first verdict counts.
        task: What was asked; with it, an agent that should have changed something and did not is told from
            one that read wrongly.
    """
    steps = judged.trajectory.steps
    status = Counter(step.status for step in steps)
    written = Counter(_written(step.action) for step in steps if isinstance(step.action, ToolCall))
    return Failures(
        kind=_kind(judged, task, repeated=sum(written.values()) - len(written)),
        refused=status["refused"],
        invalid=status["invalid_arguments"] + status["unknown_tool"] + status["malformed"],
        failed=status["error"],
        repeated=sum(written.values()) - len(written),
        first_wrong_step=next((step.index for step in steps if step.status not in ("ok", "answered")), None),
        stop_reason=judged.trajectory.stop_reason,
    )


def _kind(judged: JudgedTrajectory, task: Task | None, *, repeated: int) -> str:
    verdict = judged.verdicts[0] if judged.verdicts else None
    if not isinstance(verdict, Scored) or not verdict.trainable or verdict.label == "completed":
        return ""
    trajectory = judged.trajectory
    if trajectory.stop_reason == "format_violation":
        return "format"
    if repeated >= max(LEAST_LOOP, LOOP_SHARE * len(trajectory.calls)):
        return "loop"
    if trajectory.stop_reason in _LIMITS:
        return "limit"
    if trajectory.stop_reason != "answered":
        return "gave_up"
    return _answered_wrongly(trajectory.steps, task)


def _answered_wrongly(steps: Sequence[Step], task: Task | None) -> str:
    """How an episode failed that the agent ended itself."""
    uncorrected = _uncorrected(steps)
    if uncorrected & {"invalid_arguments", "unknown_tool", "error"}:
        return "bad_arguments"
    if "refused" in uncorrected:
        return "after_refusal"
    if any(step.changes for step in steps):
        return "wrong_change"
    writes = task is not None and task.kind in ("write", "mixed")
    return "claimed_without_acting" if writes else "wrong_answer"


def _uncorrected(steps: Sequence[Step]) -> set[str]:
    """The outcomes of calls whose tool never went through afterwards."""
    last: dict[str, str] = {}
    for step in steps:
        if isinstance(step.action, ToolCall):
            last[step.action.name] = step.status
    return set(last.values()) - {"ok"}


def _written(call: ToolCall) -> str:
    """A call as text, the same for equal arguments in any order."""
    return repr((call.name, sorted(call.arguments.items(), key=repr)))
