"""Claim: agents of known weaknesses fail where their weakness matters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tasks import Task, Temptation
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.claims.end_states import refused
from synthesis.verification.measurements import EndState
from synthesis.verification.proof_context import ProofContext


def weak_agents_fail(context: ProofContext, answer: ClaimOutcome) -> None:
    """No scripted agent of a known weakness completes a task on which that weakness matters."""
    kinds: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    by_policy = unenforced = 0
    writing = {tool.name for tool in context.world.tools if tool.mutates_state}
    episodes = [_play(context, task, each) for task in context.tasks for each in task.temptations]
    context.measurements.take(episode.end for episode in episodes)
    for temptation, results, changes, end in episodes:
        task, measured = end.task, context.measurements.of(end)
        kinds[temptation.weakness] += 1
        text = f"an agent that {_WORDS[temptation.weakness]}"
        answer.tried(
            refused(task, temptation.weakness, text, measured, changes=changes, answer=temptation.answer)
        )
        if measured.completed or measured.error:
            answer.finds(
                "verifiers",
                f"{task.id} is completed by {text}.",
                where=task.id,
                evidence=[call.model_dump(mode="json") for call in temptation.calls],
            )
        else:
            failed[temptation.weakness] += 1
        if temptation.weakness == "ignores_policy":
            by_policy += 1
            unenforced += all(result.ok for result in _writes(temptation.calls, results, writing))
    runs = sum(kinds.values())
    answer.counts(
        runs=runs,
        failed=sum(failed.values()),
        policy_runs=by_policy,
        policy_only=unenforced,
        tasks=len(context.tasks),
        tempting=sum(bool(task.temptations) for task in context.tasks),
        **dict(sorted(kinds.items())),
    )


class _Episode(NamedTuple):
    """What an agent of a known weakness did."""

    temptation: Temptation
    results: Sequence[ToolResult]
    changes: StateDiff
    end: EndState


def _play(context: ProofContext, task: Task, temptation: Temptation) -> _Episode:
    results, changes = context.replayer.play(temptation.calls)
    end = EndState(task, context.replayer.state(), temptation.answer)
    return _Episode(temptation, results, changes, end)


def _writes(
    calls: tuple[ToolCall, ...], results: Sequence[ToolResult], writing: set[str]
) -> list[ToolResult]:
    return [result for call, result in zip(calls, results, strict=False) if call.name in writing]


_WORDS = {
    "first_row": "takes the first row listed",
    "second_best": "takes the next best one",
    "forgets_condition": "forgets the last condition",
    "ignores_policy": "ignores a rule of the policy",
    "first_page": "reads one page only",
    "trusts_user": "believes what the user says",
    "stops_early": "does not look again after a write",
    "first_namesake": "acts on the first of two of one name",
    "rounds_wrong": "computes carelessly",
}
