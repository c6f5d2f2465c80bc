"""Jobs: per kind of run, what its request holds and which service does its work, in one visible table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from studio.models import Run, RunKind
from studio.models.runs import KINDS_IN
from studio.services.environments import checks
from studio.services.exports import bundles, collections, trajectory_exports
from studio.services.judging import judging, quality
from studio.services.rollouts import rollout_batches, rollouts
from studio.services.runs import execution
from studio.services.synthesis import batches, corrections, schema_import, synthesis
from studio.work_queue import WorkQueue
from synthesis.documents.document import Document
from synthesis.errors import InvalidInput
from synthesis.pipeline.request import SynthesisRequest


@dataclass(frozen=True)
class Job:
    """The work of one kind of run.

    Attributes:
        request: What such a run is asked for; stored with it as JSON.
        work: Does it, given the hold of a claimed run and its request.
    """

    request: type[Document]
    work: Callable[[execution.RunLease, Any], None]

    def __call__(self, lease: execution.RunLease) -> None:
        """Do a claimed run's work.

        Raises:
            InvalidInput: The stored request is not of this kind, for example of another version.
        """
        try:
            request = self.request.model_validate(lease.run.request)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "request"
            raise InvalidInput(
                f"The request of run {lease.run.pk} is invalid: {place}: {first['msg']}. Start it again."
            ) from None
        self.work(lease, request)


JOBS: dict[str, Job] = {
    RunKind.SYNTHESIS: Job(SynthesisRequest, synthesis.execute_synthesis),
    RunKind.BATCH: Job(batches.BatchRequest, batches.execute_batch),
    RunKind.CHECKS: Job(checks.ChecksRequest, checks.execute_checks),
    RunKind.CORRECTION: Job(corrections.CorrectionRequest, corrections.execute_correction),
    RunKind.ROLLOUT: Job(rollouts.RolloutRequest, rollouts.execute_rollouts),
    RunKind.ROLLOUTS: Job(rollout_batches.RolloutBatchRequest, rollout_batches.execute_rollout_batch),
    RunKind.JUDGING: Job(judging.JudgingRequest, judging.execute_judging),
    RunKind.QUALITY: Job(quality.GradingRequest, quality.execute_grading),
    RunKind.EXPORT: Job(bundles.BundleRequest, bundles.execute_export),
    RunKind.COLLECTION: Job(collections.CollectionRequest, collections.execute_collection),
    RunKind.TRAJECTORIES: Job(
        trajectory_exports.TrajectoryExportRequest, trajectory_exports.execute_trajectory_export
    ),
    RunKind.INTAKE: Job(schema_import.SchemaImportRequest, schema_import.execute_intake),
}


def execute_run(run_id: int) -> Run | None:
    """Claim a run, do its work and record how it ended.

    Returns:
        The run as it ended, or None when somebody else has it or it waits for nothing any more.
    """
    return execution.execute(run_id, JOBS)


def execute_most_urgent(queue: WorkQueue | None = None) -> Run | None:
    """Execute the waiting run with the highest priority, the oldest of them first.

    There is a message for every waiting run, so each message may serve the most urgent one of its queue.

    Args:
        queue: Only runs that wait in this one; all when None.

    Returns:
        The run as it ended, or None when nothing waits.
    """
    runs = Run.objects.executable()
    if queue is not None:
        runs = runs.filter(kind__in=KINDS_IN[queue])
    waiting = runs.order_by("-priority", "id").values_list("pk", flat=True)
    while candidates := list(waiting[:10]):
        for run_id in candidates:
            if (ended := execute_run(run_id)) is not None:
                return ended
    return None
