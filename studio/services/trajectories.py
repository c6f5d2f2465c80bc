"""Trajectories: stored step by step, loaded back whole."""

from __future__ import annotations

from django.db import transaction

from studio.models import Revision, Run, StepRecord, TrajectoryRecord, VerdictRecord
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step
from synthesis.documents.verdict import Scored, Unscored
from synthesis.errors import InvalidInput


@transaction.atomic
def store_trajectory(
    *, revision: Revision, judged: JudgedTrajectory, run: Run | None = None
) -> TrajectoryRecord:
    """Store a trajectory with its steps and verdicts.

    Raises:
        InvalidInput: It was made in another environment than the revision.
    """
    trajectory = judged.trajectory
    if trajectory.environment != revision.fingerprint:
        raise InvalidInput(
            f"The trajectory was made in {trajectory.environment[:12]}, "
            f"the revision is {revision.fingerprint[:12]}."
        )
    first = judged.verdicts[0] if judged.verdicts else Unscored(error="nobody measured it")
    record = TrajectoryRecord.objects.create(
        environment=revision.environment,
        revision=revision,
        run=run,
        task_id=trajectory.task_id,
        agent=trajectory.agent,
        model=trajectory.model or "",
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
    )
    StepRecord.objects.bulk_create(_step(record, step) for step in trajectory.steps)
    for verdict in judged.verdicts:
        _store_verdict(record, verdict)
    return record


@transaction.atomic
def add_verdict(*, record: TrajectoryRecord, verdict: Scored | Unscored) -> VerdictRecord:
    """Store another verdict beside the ones a trajectory has; where they differ, it is marked as disputed."""
    stored = _store_verdict(record, verdict)
    record.disputed = record.verdicts.values("label").distinct().count() > 1
    record.save(update_fields=["disputed"])
    return stored


def load_judged(record: TrajectoryRecord) -> JudgedTrajectory:
    """The trajectory with its verdicts as documents."""
    return JudgedTrajectory(
        trajectory=record.load(), verdicts=tuple(verdict.load() for verdict in record.verdicts.all())
    )


def _store_verdict(record: TrajectoryRecord, verdict: Scored | Unscored) -> VerdictRecord:
    return VerdictRecord.objects.create(
        trajectory=record,
        label=verdict.label,
        reward=verdict.reward,
        basis=verdict.basis[:120],
        document=verdict.model_dump_json(),
    )


def _step(record: TrajectoryRecord, step: Step) -> StepRecord:
    document = step.model_dump_json()
    return StepRecord(
        trajectory=record,
        index=step.index,
        tool=step.action.name[:128] if isinstance(step.action, ToolCall) else "",
        status=step.status,
        changed_rows=len(step.changes),
        changed_tables=sorted({change.table for change in step.changes.changes}),
        size=len(document),
        document=document,
    )
