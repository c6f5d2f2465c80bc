"""Executors: which service does the work of which kind of run, in one visible table."""

from __future__ import annotations

from studio.models import Run, RunKind
from studio.services import bundles, checks, execution, rollouts, synthesis

EXECUTORS: dict[str, execution.Executor] = {
    RunKind.SYNTHESIS: synthesis.execute_synthesis,
    RunKind.CHECKS: checks.execute_checks,
    RunKind.ROLLOUT: rollouts.execute_rollouts,
    RunKind.EXPORT: bundles.execute_export,
}


def execute_run(run_id: int) -> Run | None:
    """Claim a run, do its work and record how it ended.

    Returns:
        The run as it ended, or None when somebody else has it or it waits for nothing any more.
    """
    return execution.execute(run_id, EXECUTORS)
