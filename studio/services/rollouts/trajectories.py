"""Trajectories: stored step by step, loaded back whole."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from cachetools import LRUCache, cached
from django.db import transaction

from studio.models import (
    ConversationRecord,
    Revision,
    Run,
    StepRecord,
    TrajectoryRecord,
    VerdictRecord,
    VerdictSource,
)
from studio.services.environments.environments import load_part
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step
from synthesis.documents.verdict import Scored, Unscored
from synthesis.errors import InvalidInput
from synthesis.rollouts.failures import failures

MOST_AT_ONCE = 500
"""Steps written by one statement; a step may hold megabytes."""
MOST_REVISIONS = 16
"""Revisions whose tasks are kept at hand."""

_lock = threading.Lock()


def store_trajectory(
    *, revision: Revision, judged: JudgedTrajectory, run: Run | None = None
) -> TrajectoryRecord:
    """Store a trajectory with its steps and verdicts.

    Raises:
        InvalidInput: It was made in another environment than the revision.
    """
    return store_trajectories(revision=revision, judged=(judged,), run=run)[0]


@transaction.atomic
def store_trajectories(
    *, revision: Revision, judged: Sequence[JudgedTrajectory], run: Run | None = None
) -> list[TrajectoryRecord]:
    """Store trajectories with their steps and verdicts, all of them or none; a few statements however many.

    Raises:
        InvalidInput: One was made in another environment than the revision.
    """
    for each in judged:
        if each.trajectory.environment != revision.fingerprint:
            raise InvalidInput(
                f"The trajectory was recorded in {each.trajectory.environment[:12]}, "
                f"the revision is {revision.fingerprint[:12]}."
            )
    tasks = _tasks(revision)
    records = TrajectoryRecord.objects.bulk_create(
        _record(revision, each, run, tasks.get(each.trajectory.task_id)) for each in judged
    )
    StepRecord.objects.bulk_create(
        (
            _step(record, step)
            for record, each in zip(records, judged, strict=True)
            for step in each.trajectory.steps
        ),
        batch_size=MOST_AT_ONCE,
    )
    ConversationRecord.objects.bulk_create(
        ConversationRecord(trajectory=record, document=each.trajectory.conversation.model_dump_json())
        for record, each in zip(records, judged, strict=True)
        if each.trajectory.conversation is not None
    )
    VerdictRecord.objects.bulk_create(
        _verdict(record, verdict)
        for record, each in zip(records, judged, strict=True)
        for verdict in each.verdicts
    )
    return records


@transaction.atomic
def add_verdict(*, record: TrajectoryRecord, verdict: Scored | Unscored, **given: Any) -> VerdictRecord:
    """Store another verdict beside the ones a trajectory has; where they differ, it is marked as disputed.

    Args:
        record: What was judged.
        verdict: The verdict.
        given: Who gave it and by what, as fields of the record: strategy, judge, run, number, author,
            prompt_fingerprint, model, tokens and cost.
    """
    stored = _verdict(record, verdict, **given)
    stored.save()
    mark_disputed(record)
    return stored


def mark_disputed(record: TrajectoryRecord) -> None:
    """Say whether the verdicts on a trajectory differ at present.

    A person's word settles what a judge said: from then on only people and the measurement can differ.
    """
    given = set(record.verdicts.values_list("strategy", "label"))
    if any(strategy == VerdictSource.PERSON for strategy, _ in given):
        given = {each for each in given if each[0] in (VerdictSource.PLAY, VerdictSource.PERSON)}
    record.disputed = len({label for _, label in given}) > 1
    record.save(update_fields=["disputed"])


def opinions(record: TrajectoryRecord) -> list[Scored | Unscored]:
    """The verdicts on a trajectory, of a judge's repeated ones those whose label it had not given before."""
    seen: set[tuple[int, str]] = set()
    results = []
    for verdict in record.verdicts.all():
        place = (verdict.run_id or -verdict.pk, verdict.label)
        if place not in seen:
            seen.add(place)
            results.append(verdict.load())
    return results


def load_judged(record: TrajectoryRecord) -> JudgedTrajectory:
    """The trajectory with its verdicts as documents, without repetitions."""
    return JudgedTrajectory(trajectory=record.load(), verdicts=tuple(opinions(record)))


def load_measured(record: TrajectoryRecord) -> JudgedTrajectory:
    """The trajectory with what was measured when it was played, and without what judges and people said."""
    measured = record.verdicts.filter(strategy=VerdictSource.PLAY)
    return JudgedTrajectory(trajectory=record.load(), verdicts=tuple(verdict.load() for verdict in measured))


def _record(
    revision: Revision, judged: JudgedTrajectory, run: Run | None, task: Task | None
) -> TrajectoryRecord:
    trajectory = judged.trajectory
    first = judged.verdicts[0] if judged.verdicts else Unscored(error="no verdict")
    went_wrong = failures(judged, task)
    return TrajectoryRecord(
        environment_id=revision.environment_id,
        revision=revision,
        run=run,
        task_id=trajectory.task_id,
        agent=trajectory.agent,
        model=(trajectory.model or "")[:120],
        seed=trajectory.seed,
        stop_reason=trajectory.stop_reason,
        error=trajectory.error,
        answer=trajectory.answer,
        step_count=len(trajectory.steps),
        changed_rows=sum(len(step.changes) for step in trajectory.steps),
        label=first.label,
        reward=first.reward,
        trainable=first.trainable,
        disputed=len({verdict.label for verdict in judged.verdicts}) > 1,
        failure=went_wrong.kind,
        refused_calls=went_wrong.refused,
        invalid_calls=went_wrong.invalid,
        repeated_calls=went_wrong.repeated,
        first_wrong_step=went_wrong.first_wrong_step,
    )


@cached(LRUCache(MOST_REVISIONS), key=lambda revision: revision.fingerprint, lock=_lock)
def _tasks(revision: Revision) -> dict[str, Task]:
    """The tasks of a revision by id; they never change, so those used last are kept."""
    part = load_part(revision, "tasks")
    return {task.id: task for task in part.tasks} if isinstance(part, Tasks) else {}


def _verdict(record: TrajectoryRecord, verdict: Scored | Unscored, **given: Any) -> VerdictRecord:
    return VerdictRecord(
        trajectory=record,
        label=verdict.label,
        reward=verdict.reward,
        basis=verdict.basis[:120],
        document=verdict.model_dump_json(),
        **given,
    )


def _step(record: TrajectoryRecord, step: Step) -> StepRecord:
    document = step.model_dump_json()
    return StepRecord(
        trajectory_id=record.pk,
        index=step.index,
        tool=step.action.name[:128] if isinstance(step.action, ToolCall) else "",
        status=step.status,
        changed_rows=len(step.changes),
        changed_tables=sorted({change.table for change in step.changes.changes}),
        size=len(document),
        document=document,
    )
