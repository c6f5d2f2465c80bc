"""Evidence: what a judge sees of one episode, with everything untrusted marked as data."""

from __future__ import annotations

import json
import re
import secrets
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.document import Document
from synthesis.documents.environment import Environment
from synthesis.documents.state_diff import RowChange
from synthesis.documents.tasks import Task
from synthesis.documents.trajectory import Trajectory
from synthesis.documents.verdict import Scored, Verdict
from synthesis.errors import UnknownName

LONGEST_QUOTE = 2_000
"""Characters of one observation, argument list or answer that are shown."""
MOST_STEPS = 60
MOST_CHANGES = 60


class JudgingEvidence(Document):
    """One episode as a judge sees it. Texts in it were written by agents, tools and models: data, no
    orders.
    """

    task: Task
    policy: str | None = None
    clock: datetime | None = None
    """The world's time at the start, naive local."""
    trajectory: Trajectory
    verdict: Verdict | None = None
    """What code says; None for a judge that is to decide alone."""

    def without_code(self) -> JudgingEvidence:
        """The same episode without what code said and without the solution's facts."""
        return self.replace(verdict=None)


def evidence_of(environment: Environment, judged: JudgedTrajectory) -> JudgingEvidence:
    """The evidence of one judged trajectory.

    Raises:
        UnknownName: The environment has no such task.
    """
    task = environment.task(judged.trajectory.task_id)
    if task is None:
        raise UnknownName("task", judged.trajectory.task_id, [one.id for one in environment.tasks.tasks])
    return JudgingEvidence(
        task=task,
        policy=environment.policy.text if environment.policy else None,
        clock=environment.scenario.clock,
        trajectory=judged.trajectory,
        verdict=judged.verdicts[0] if judged.verdicts else None,
    )


def quoted(evidence: JudgingEvidence, *, fence: str | None = None) -> tuple[str, str]:
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
    body = _compact(value).replace(word, "")
    return f"<<<{word}\n{body}\n{word}>>>", word


def _compact(value: Any) -> str:
    """JSON without blanks; a line for each member of the outermost object and of the lists in it."""
    if not isinstance(value, dict):
        return _json(value)
    members = [f"{_json(key)}:{_lines(member)}" for key, member in value.items()]
    return "{" + ",\n".join(members) + "}"


def _lines(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return _json(value)
    return "[" + ",\n".join(map(_json, value)) + "]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def shown_texts(evidence: JudgingEvidence) -> str:
    """All that a judge is shown, as one text: what its quotes are compared with."""
    return _compact(_shown(evidence))


def _shown(evidence: JudgingEvidence) -> dict[str, Any]:
    task, trajectory = evidence.task, evidence.trajectory
    shown: dict[str, Any] = {
        "clock": evidence.clock.isoformat() if evidence.clock else None,
        "policy": evidence.policy,
        "instruction": task.instruction,
        "kind_of_task": task.kind,
        "steps": [_step(step) for step in trajectory.steps[:MOST_STEPS]],
        "steps_left_out": max(0, len(trajectory.steps) - MOST_STEPS),
        "row_changes": _changes(trajectory),
        "final_answer": _cut(trajectory.answer),
        "stop_reason": trajectory.stop_reason,
    }
    if places := places_that_address_a_judge(trajectory):
        shown["addresses_its_judge"] = list(places)
    if isinstance(evidence.verdict, Scored):
        verdict = evidence.verdict
        shown["verdict_by_code"] = {
            "label": verdict.label,
            "share_of_goals": verdict.share,
            "basis": verdict.basis,
            "explanation": _cut(verdict.explanation),
        }
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
        shown["verdict_by_code"] = f"the verifier failed: {evidence.verdict.error}"
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
    results: list[JsonValue] = [_cut(_change(change)) for change in changes[:MOST_CHANGES]]
    if len(changes) > MOST_CHANGES:
        results.append(f"... and {len(changes) - MOST_CHANGES} more")
    return results


def _change(change: RowChange) -> dict[str, Any]:
    """A changed row: only the columns that changed, or the whole row that came or went."""
    plain = change.model_dump(mode="json")
    before, after = plain["before"], plain["after"]
    row = {"table": change.table, "key": plain["key"]}
    if before is None or after is None:
        return {**row, "inserted" if before is None else "deleted": after if before is None else before}
    return {
        **row,
        "changed": {name: [before[name], after[name]] for name in after if before[name] != after[name]},
    }


_ADDRESSES = re.compile(
    r"\b(ignore|disregard)\b.{0,40}\b(rules|instructions|prompt)\b"
    r"|\b(judge|grader|evaluator)s?\b.{0,60}\b(must|should|please|label|score|award|answer)\b"
    r"|^\s*(system|assistant)\s*:",
    re.IGNORECASE | re.MULTILINE,
)


def places_that_address_a_judge(trajectory: Trajectory) -> tuple[int, ...]:
    """Numbers of the steps in which the agent's own words speak to whoever judges it."""
    return tuple(
        step.index
        for step in trajectory.steps
        if _ADDRESSES.search(f"{step.thought}\n{getattr(step.action, 'text', '')}")
    )


def _cut(value: Any) -> JsonValue:
    """A value as it is, or the beginning of its JSON text where that is too long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST_QUOTE:
        shown: JsonValue = value
        return shown
    return f"{text[:LONGEST_QUOTE]}... ({len(text)} characters)"
