"""Runs: asked for, stopped, paused, retried, and found again when their worker was lost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from studio.models import AttemptRecord, EnvironmentRecord, LlmCall, Run, RunEvent, RunKind, RunState
from studio.models.projects import project_of_new_records
from studio.models.runs import BATCHES, KINDS_IN, RunQuerySet
from studio.services.errors import Conflict, Missing
from studio.services.runs import dispatch, families
from studio.work_queue import WorkQueue
from synthesis.documents.document import Document
from synthesis.errors import (
    InvalidInput,
    PromptTooLong,
    ProviderOverloaded,
    ProviderRefused,
    ProviderUnreachable,
)

LEAST_PRIORITY, MOST_PRIORITY = -100, 100
STOPPED_BY_THE_ENDPOINT = frozenset(
    each.__name__ for each in (PromptTooLong, ProviderOverloaded, ProviderRefused, ProviderUnreachable)
)
"""Errors of runs that may go well as they are once the endpoint answers again or the settings are right."""


@transaction.atomic
def queue_run(
    *,
    kind: RunKind,
    title: str,
    request: Document | dict[str, Any],
    requested_by: User | None = None,
    environment: EnvironmentRecord | None = None,
    parent: Run | None = None,
    retry_of: Run | None = None,
    priority: int = 0,
    total: int = 0,
) -> Run:
    """A new run that waits for a worker, which is told when the transaction is committed.

    Its request is that of its kind in `studio.jobs`, or the stored JSON of one.
    """
    run = Run.objects.create(
        project_id=_project_of(parent, environment),
        kind=kind,
        title=title[:200],
        request=request.model_dump(mode="json", by_alias=True) if isinstance(request, Document) else request,
        requested_by=requested_by,
        environment=environment,
        parent=parent,
        retry_of=retry_of,
        priority=priority,
        total=total,
    )
    RunEvent.objects.create(run=run, kind="queued", text="Waiting for a worker.")
    dispatch.announce(run)
    return run


def _project_of(parent: Run | None, environment: EnvironmentRecord | None) -> int:
    """The project of a new run: that of its batch, of the environment that it is about, or the chosen one."""
    owner = parent or environment
    return owner.project_id if owner is not None else project_of_new_records()


def find(run_id: int) -> Run:
    """The run of that number.

    Raises:
        Missing: There is none.
    """
    run = Run.objects.listed().filter(pk=run_id).first()
    if run is None:
        raise Missing(f"There is no run {run_id}.", remedy="Choose one from the list of runs.")
    return run


def find_attempt(*, run_id: int, attempt_id: int) -> AttemptRecord:
    """One attempt of a run.

    Raises:
        Missing: There is no such run, or it has no such attempt.
    """
    attempt = find(run_id).attempts.filter(pk=attempt_id).first()
    if attempt is None:
        raise Missing(f"Run {run_id} has no such attempt.", remedy="Choose one on the run's page.")
    return attempt


def calls_of(attempt: AttemptRecord) -> list[LlmCall]:
    """The ledger's rows of one attempt, in the order they were made.

    A part that is sent back begins again at attempt 1: then the rows between this attempt and the one of
    the same number before it are its own.
    """
    same = AttemptRecord.objects.filter(run=attempt.run_id, stage=attempt.stage, number=attempt.number)
    earlier, later = same.filter(pk__lt=attempt.pk).last(), same.filter(pk__gt=attempt.pk).exists()
    rows = LlmCall.objects.filter(run=attempt.run_id, stage=attempt.stage, attempt=attempt.number)
    if earlier is not None:
        rows = rows.filter(at__gt=earlier.at)
    if later:
        rows = rows.filter(at__lte=attempt.at)
    return list(rows.order_by("id"))


@transaction.atomic
def request_cancel(*, run: Run) -> Run:
    """Ask a run and its children to stop.

    One that waits is cancelled at once; one that runs stops at its next step.

    Raises:
        Conflict: It is over already.
    """
    now = timezone.now()
    family = Q(pk=run.pk) | Q(parent=run)
    waiting = Run.objects.filter(family, state=RunState.QUEUED)
    stopped = list(waiting.values_list("pk", flat=True))
    waiting.update(state=RunState.CANCELLED, cancel_requested_at=now, finished_at=now)
    asked = Run.objects.filter(family, state=RunState.RUNNING, cancel_requested_at__isnull=True)
    messages = list(asked.values_list("pk", flat=True))
    asked.update(cancel_requested_at=now)
    for batch_id in {run.parent_id, run.pk if run.kind in BATCHES else None}:
        families.settle_batch(batch_id)
    run.refresh_from_db()
    if run.pk not in stopped and run.pk not in messages and run.cancel_requested_at is None:
        raise Conflict(f"Run {run.pk} is already over: {run.get_state_display().lower()}.")
    RunEvent.objects.bulk_create(
        [RunEvent(run_id=id, kind="cancelled", text="Cancelled before it started.") for id in stopped]
        + [RunEvent(run_id=id, kind="cancel_requested", text="Cancellation requested.") for id in messages]
    )
    return run


@transaction.atomic
def pause(*, run: Run) -> Run:
    """Let nothing more of a run or batch begin; what runs goes on to its end.

    Raises:
        Conflict: It is over, or paused already.
    """
    changed = Run.objects.active().filter(pk=run.pk, paused_at__isnull=True).update(paused_at=timezone.now())
    run.refresh_from_db()
    if not changed:
        raise Conflict(f"Run {run.pk} cannot be paused: it is {'paused' if run.paused_at else run.state}.")
    RunEvent.objects.create(run=run, kind="paused", text="Paused: it starts nothing more.")
    return run


@transaction.atomic
def resume(*, run: Run) -> Run:
    """Let a paused run or batch go on, and with a batch those of its runs that are held back, for example
    because a budget was spent.

    Raises:
        Conflict: Nothing of it is paused.
    """
    held = families.family_of(run).filter(paused_at__isnull=False)
    if not held.update(paused_at=None):
        raise Conflict(f"Run {run.pk} is not paused.")
    run.refresh_from_db()
    RunEvent.objects.create(run=run, kind="resumed", text="Resumed.")
    for waiting in Run.objects.filter(Q(pk=run.pk) | Q(parent=run), state=RunState.QUEUED):
        dispatch.announce(waiting)
    return run


@transaction.atomic
def retry(*, run: Run, requested_by: User | None = None) -> Run:
    """A new run of the same request; parts that the old one finished are reused.

    Raises:
        Conflict: The run is not failed or cancelled, or was retried already.
    """
    run = Run.objects.select_for_update().get(pk=run.pk)
    if run.state not in (RunState.FAILED, RunState.CANCELLED):
        raise Conflict(
            f"Run {run.pk} is {run.get_state_display().lower()}; only failed or cancelled runs are retried."
        )
    newer = run.retries.first()
    if newer is not None:
        raise Conflict(f"Run {run.pk} was already retried as run {newer.pk}.")
    families.reopen(run.parent_id)
    return queue_run(
        kind=RunKind(run.kind),
        title=run.title,
        request=run.request,
        requested_by=requested_by,
        environment=run.environment,
        parent=run.parent,
        retry_of=run,
        priority=run.priority,
        total=run.total,
    )


@transaction.atomic
def retry_failed(
    *, batch: Run, requested_by: User | None = None, errors: frozenset[str] | None = None
) -> list[Run]:
    """New runs in the place of all runs of a batch that failed; what they finished is reused.

    Args:
        batch: The batch.
        requested_by: Who asks.
        errors: Only those that failed with one of these; None for all.

    Raises:
        Conflict: None of them failed, or the batch was asked to stop and has not yet.
    """
    batch = Run.objects.select_for_update().get(pk=batch.pk)
    if batch.cancel_requested:
        raise Conflict(f"Batch {batch.pk} is being cancelled; wait until it has stopped.")
    failed = list(_failed(batch, errors).order_by("pk"))
    if not failed:
        raise Conflict(f"No run of batch {batch.pk} failed.")
    families.reopen(batch.pk)
    runs = Run.objects.bulk_create(
        Run(
            kind=run.kind,
            title=run.title,
            request=run.request,
            requested_by=requested_by,
            environment_id=run.environment_id,
            project_id=batch.project_id,
            parent=batch,
            retry_of=run,
            priority=run.priority,
            total=run.total,
        )
        for run in failed
    )
    RunEvent.objects.bulk_create(
        RunEvent(run=run, kind="queued", text=f"Retries run {run.retry_of_id}.") for run in runs
    )
    RunEvent.objects.create(run=batch, kind="retried", text=f"{len(runs)} failed runs are retried.")
    families.settle_batch(batch.pk)
    for run in runs:
        dispatch.announce(run)
    return runs


@transaction.atomic
def go_on(*, run: Run) -> Run:
    """Let a run or batch go on however it was interrupted: nothing of it is held back any more, workers are
    told again of all that waits, and what an endpoint stopped is retried.

    Returns:
        The run that goes on: another one where this one is over and retried.

    Raises:
        Conflict: It is over, and not because of an endpoint.
    """
    if run.state == RunState.FAILED and run.error_type in STOPPED_BY_THE_ENDPOINT:
        return retry(run=run)
    if _failed(run, STOPPED_BY_THE_ENDPOINT).exists():
        retry_failed(batch=run, errors=STOPPED_BY_THE_ENDPOINT)
        run.refresh_from_db()
    if run.is_over:
        raise Conflict(
            f"Run {run.pk} is already over: {run.get_state_display().lower()}.",
            remedy="Retry it, or its failed runs, on its page.",
        )
    family = families.family_of(run)
    if family.filter(paused_at__isnull=False).exists():
        return resume(run=run)
    for waiting in family.filter(state=RunState.QUEUED):
        dispatch.announce(waiting)
    return run


def _failed(batch: Run, errors: frozenset[str] | None) -> QuerySet[Run]:
    failed = families.current_children(batch).filter(state=RunState.FAILED)
    return failed if errors is None else failed.filter(error_type__in=errors)


def require_priority(priority: int) -> None:
    """Pass when a run may have this priority.

    Raises:
        InvalidInput: The number is out of bounds.
    """
    if not LEAST_PRIORITY <= priority <= MOST_PRIORITY:
        raise InvalidInput(f"Priority {priority} is not between {LEAST_PRIORITY} and {MOST_PRIORITY}.")


@transaction.atomic
def set_priority(*, run: Run, priority: int) -> Run:
    """Move a run and what waits of its children before or behind other waiting runs.

    Raises:
        Conflict: It is over.
        InvalidInput: The number is out of bounds.
    """
    require_priority(priority)
    if not Run.objects.active().filter(pk=run.pk).update(priority=priority):
        raise Conflict(f"Run {run.pk} is already over: {run.get_state_display().lower()}.")
    run.children.filter(state=RunState.QUEUED).update(priority=priority)
    RunEvent.objects.create(run=run, kind="priority_set", text=f"Its priority is now {priority}.")
    run.refresh_from_db()
    return run


@dataclass(frozen=True)
class ReapedRuns:
    """What a reaping found.

    Attributes:
        requeued: Runs whose worker was lost and that wait again.
        failed: Runs that were lost too often.
        cancelled: Lost runs that somebody had asked to stop.
        announced: Runs that waited without their message having arrived.
    """

    requeued: tuple[int, ...] = ()
    failed: tuple[int, ...] = ()
    cancelled: tuple[int, ...] = ()
    announced: tuple[int, ...] = ()


def reap_runs() -> ReapedRuns:
    """Find runs whose worker was lost and queue them again; tell workers again of runs that wait for long.

    Safe to call at any time from any number of processes: each run changes hands by one conditional update.
    """
    after = timedelta(seconds=settings.WORLDWRIGHT.lost_after_seconds)
    # A sign of life of a time to come is of before the clock was put back: its run is lost unless another
    # one follows.
    Run.objects.filter(state=RunState.RUNNING, heartbeat_at__gt=Now() + after).update(heartbeat_at=Now())
    requeued: list[int] = []
    failed: list[int] = []
    cancelled: list[int] = []
    for run in Run.objects.lost(after=after):
        outcome = _reap(run, after)
        bucket = {RunState.QUEUED: requeued, RunState.FAILED: failed, RunState.CANCELLED: cancelled}
        if outcome is not None:
            bucket[outcome].append(run.pk)
    queued_lately = Q(created_at__range=(Now() - after, Now() + after))
    waiting = Run.objects.claimable().exclude(queued_lately).exclude(pk__in=requeued)
    announced = [run_id for queue in WorkQueue for run_id in _announce_missing(waiting, queue)]
    return ReapedRuns(tuple(requeued), tuple(failed), tuple(cancelled), tuple(announced))


def _announce_missing(waiting: RunQuerySet, queue: WorkQueue) -> list[int]:
    """Tell the workers of a queue of as many runs as messages are missing: any of its messages serves the
    most urgent run that waits in it."""
    own = waiting.filter(kind__in=KINDS_IN[queue])
    count = own.count()
    missing = max(0, min(1000, count - dispatch.waiting_messages(queue))) if count else 0
    return [run.pk for run in own.order_by("-priority", "id")[:missing] if dispatch.send(run.pk, queue)]


@transaction.atomic
def _reap(run: Run, after: timedelta) -> RunState | None:
    """Take one lost run away from its worker; None when it gave a sign of life meanwhile."""
    now = timezone.now()
    end: dict[str, Any] = {"finished_at": now, "claim": ""}
    if run.cancel_requested_at is not None:
        state, text = RunState.CANCELLED, "Its worker was lost after the cancellation was requested."
    elif (losses := _losses(run, after)) >= settings.WORLDWRIGHT.run_claims:
        state, text = RunState.FAILED, f"Its worker was lost {run.claims} times; it is not restarted."
        end |= {"error": text, "error_type": "WorkerLost", "losses": losses}
    else:
        state, text = (
            RunState.QUEUED,
            "Its worker was lost; it waits for another one and resumes where it stopped.",
        )
        end = {"claim": "", "losses": losses}
    lost = Run.objects.lost(after=after).filter(pk=run.pk, claim=run.claim)
    if not lost.update(state=state, **end):
        return None
    RunEvent.objects.create(run=run, kind="reaped", stage=run.stage, text=text)
    families.settle_batch(run.parent_id)
    if state is RunState.QUEUED:
        dispatch.announce(run)
    return state


def _losses(run: Run, after: timedelta) -> float:
    """Its losses with this one, of which it takes an equal share with the runs as likely to blame for it.

    Those are the runs its worker held; where it had been lost before and got no further since, only those
    of which the same is true: a run that kills its workers is soon left alone with what it does.
    """
    assert run.heartbeat_at is not None
    at_the_same_time = (run.heartbeat_at - after, run.heartbeat_at + after)
    # The first of them that are reaped wait again, or have failed.
    held = Run.objects.filter(state__in=(RunState.RUNNING, RunState.QUEUED, RunState.FAILED)).filter(
        worker=run.worker, heartbeat_at__range=at_the_same_time
    )
    if run.claims > 1:
        held = held.filter(claims__gt=1)
    # Thirds and the like add up to the limit but for the last digits.
    return round(run.losses + 1 / max(held.count(), 1), 6)


def remarks_on(run: Run, *, stage: str) -> list[str]:
    """What the checks of a stage only remarked on in the attempt that was accepted."""
    accepted = run.attempts.filter(stage=stage, accepted=True).order_by("pk").last()
    findings = accepted.findings if accepted is not None else []
    return [finding["message"] for finding in findings if finding["severity"] == "warning"]
