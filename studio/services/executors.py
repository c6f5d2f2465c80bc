"""Executors: which service does the work of which kind of run, in one visible table."""

from __future__ import annotations

from studio.models import Run, RunKind
from studio.services import (
    batches,
    checks,
    collections,
    corrections,
    execution,
    intake,
    judging,
    quality,
    rollout_batches,
    rollouts,
    synthesis,
)

EXECUTORS: dict[str, execution.Executor] = {
    RunKind.SYNTHESIS: synthesis.execute_synthesis,
    RunKind.BATCH: batches.execute_batch,
    RunKind.CHECKS: checks.execute_checks,
    RunKind.CORRECTION: corrections.execute_correction,
    RunKind.ROLLOUT: rollouts.execute_rollouts,
    RunKind.ROLLOUTS: rollout_batches.execute_rollout_batch,
    RunKind.JUDGING: judging.execute_judging,
    RunKind.QUALITY: quality.execute_grading,
    RunKind.EXPORT: collections.execute_export,
    RunKind.INTAKE: intake.execute_intake,
}


def execute_run(run_id: int) -> Run | None:
    """Claim a run, do its work and record how it ended.

    Returns:
        The run as it ended, or None when somebody else has it or it waits for nothing any more.
    """
    return execution.execute(run_id, EXECUTORS)


def execute_most_urgent() -> Run | None:
    """Execute the waiting run with the highest priority, the oldest of them first.

    There is a message for every waiting run, so each message may serve the most urgent one.

    Returns:
        The run as it ended, or None when nothing waits.
    """
    waiting = Run.objects.claimable().order_by("-priority", "id").values_list("pk", flat=True)
    while candidates := list(waiting[:10]):
        for run_id in candidates:
            if (ended := execute_run(run_id)) is not None:
                return ended
    return None
