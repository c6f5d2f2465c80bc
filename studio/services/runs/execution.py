"""Execution: one worker's hold on one run, from claiming it to its end."""

from __future__ import annotations

import gc
import logging
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from studio.models import AttemptRecord, Run, RunEvent, RunState
from studio.models.fields import storable
from studio.models.runs import AFTER_PROGRESS, RunQuerySet
from studio.models.visibility import Visibility, limited
from studio.services.errors import ServiceError
from studio.services.runs import connections, dispatch, heartbeat, stopping
from studio.services.runs.families import settle_batch
from studio.services.telemetry import tracing
from synthesis.errors import AttemptsExhausted, BudgetExhausted, Cancelled, WorldwrightError
from synthesis.pipeline.attempt import Attempt as AttemptDocument

logger = logging.getLogger(__name__)


class LeaseLost(Exception):
    """The run was reaped: another worker may have it, so this one writes nothing more."""


def claim_run(run_id: int) -> RunLease | None:
    """Take a waiting run; None when another worker was faster, or it is paused, cancelled or over."""
    if not Run.objects.executable().filter(pk=run_id).exists():
        return None
    claim = Run.new_claim()
    # Conditions on the row alone: PostgreSQL looks at them again once another claim is committed, but
    # not at a subquery, which a condition on the batch would become; two workers would then have the run.
    taken = Run.objects.filter(pk=run_id, state=RunState.QUEUED, paused_at__isnull=True).update(
        state=RunState.RUNNING,
        claim=claim,
        claims=F("claims") + 1,
        worker=f"{socket.gethostname()}:{os.getpid()}"[:120],
        started_at=Coalesce(F("started_at"), Now()),
        heartbeat_at=Now(),
    )
    if not taken:
        return None
    run = Run.objects.select_related("environment", "requested_by", "parent", "project").get(pk=run_id)
    return RunLease(run, claim)


LONGEST_MODEL = 120
"""Characters of a model's name that are kept."""


class RunLease:
    """What the executor of a run may do with it; every write fails with `LeaseLost` once it was reaped."""

    def __init__(self, run: Run, claim: str) -> None:
        self.run = run
        self._claim = claim
        self._resumed = run.attempts.exists()

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Signs of life for as long as the block lasts."""
        with heartbeat.beating(self.run.pk, self._claim):
            yield

    def cancelled(self) -> bool:
        """Whether the run is to stop: somebody asked it or its worker to, or it was taken away."""
        return stopping.asked() or self.asked_to_stop()

    def asked_to_stop(self) -> bool:
        """Whether somebody asked the run itself to stop, or it was taken away from this worker."""
        row = connections.steadily(
            self._mine().values_list("cancel_requested_at", "parent__cancel_requested_at").first
        )
        return row is None or any(moment is not None for moment in row)

    def note(
        self,
        kind: str,
        *,
        stage: str = "",
        text: str = "",
        payload: Mapping[str, Any] | None = None,
        done: int | None = None,
        total: int | None = None,
    ) -> None:
        """Record that something happened, and with it how far the run is."""
        progress: dict[str, Any] = {"stage": stage} if stage else {}
        progress |= {name: value for name, value in (("done", done), ("total", total)) if value is not None}
        tracing.note(kind, **({"stage": stage} if stage else {}))
        with self.writing(**progress):
            RunEvent.objects.create(
                run=self.run, kind=kind, stage=stage, text=text, payload=dict(payload or {})
            )

    def keep_attempt(self, attempt: AttemptDocument, *, model: str = "") -> None:
        """Record an attempt whole; one that a lost worker had recorded already is not recorded again."""
        if self._resumed and self._is_known(attempt):
            return
        with self.writing(stage=attempt.stage, **AFTER_PROGRESS):
            AttemptRecord.objects.create(
                run=self.run,
                stage=attempt.stage,
                number=attempt.number,
                author=attempt.author,
                model=(attempt.model or model)[:LONGEST_MODEL],
                prompt=attempt.prompt,
                reply=attempt.reply,
                reasoning=attempt.reasoning,
                findings=[finding.model_dump(mode="json") for finding in attempt.findings],
                accepted=attempt.passed,
                input_tokens=attempt.usage.input_tokens,
                cached_tokens=attempt.usage.cached_tokens,
                output_tokens=attempt.usage.output_tokens,
                reasoning_tokens=attempt.usage.reasoning_tokens,
                cost=attempt.usage.cost,
                seconds=attempt.seconds,
            )

    def _is_known(self, attempt: AttemptDocument) -> bool:
        attempts = self.run.attempts.filter(stage=attempt.stage, number=attempt.number)
        messages = (storable(attempt.prompt), storable(attempt.reply))
        return messages in list(attempts.values_list("prompt", "reply"))

    @contextmanager
    def writing(self, **changes: Any) -> Iterator[None]:
        """A transaction that only succeeds while the lease is valid.

        Raises:
            LeaseLost: The run was reaped; nothing of the transaction is kept.
        """
        try:
            with transaction.atomic():
                if not self._mine().update(heartbeat_at=Now(), **changes):
                    raise LeaseLost(f"Run {self.run.pk} was taken away from this worker.")
                yield
        finally:
            connections.let_go()

    def finish(self, result: Mapping[str, Any]) -> None:
        """The run reached its end; to be called within `writing`, beside what it made."""
        self._end(RunState.FINISHED, "Finished.", result=dict(result))

    def fail(self, error: Exception) -> None:
        """The run cannot go on; the error's own words are kept."""
        stage = error.stage if isinstance(error, AttemptsExhausted) else self._stage()
        text = f"{error.message} {error.remedy}".strip() if isinstance(error, ServiceError) else str(error)
        self._end(
            RunState.FAILED,
            text or type(error).__name__,
            error=text or type(error).__name__,
            error_type=type(error).__name__,
            error_stage=stage,
        )

    def cancel(self) -> None:
        """The run stopped because somebody asked for it."""
        self._end(RunState.CANCELLED, "Stopped as requested.")

    def give_back(self, text: str, *, kind: str = "paused") -> None:
        """Let the run wait again, for example when a budget is spent for now."""
        with self.writing():
            self._mine().update(state=RunState.QUEUED, claim="", paused_at=timezone.now())
            RunEvent.objects.create(run=self.run, kind=kind, text=text)

    def hand_back(self) -> None:
        """Let another worker go on, since this one was asked to end; nothing when it was taken already."""
        stopping.hand_back(run_id=self.run.pk, claim=self._claim)

    def lose(self, error: Exception) -> None:
        """The database went away in the middle: go on elsewhere at once, unless that happened too often."""
        losses = self._mine().values_list("losses", flat=True).first() or 0.0
        if losses + 1 >= settings.WORLDWRIGHT.run_claims:
            self.fail(error)
            return
        with self.writing(losses=F("losses") + 1):
            self._mine().update(state=RunState.QUEUED, claim="")
            text = "The connection to the database was lost; the run resumes from what is stored."
            RunEvent.objects.create(run=self.run, kind="handed_back", text=text)
            dispatch.announce(self.run)

    def _end(self, state: RunState, text: str, **fields: Any) -> None:
        tracing.describe(
            state=state.value, **({"error": fields["error_type"]} if "error_type" in fields else {})
        )
        with self.writing():
            RunEvent.objects.create(
                run=self.run, kind=state.value, stage=fields.get("error_stage", ""), text=text
            )
            self._mine().update(state=state, finished_at=timezone.now(), **fields)
            settle_batch(self.run.parent_id)

    def _stage(self) -> str:
        return Run.objects.filter(pk=self.run.pk).values_list("stage", flat=True).get()

    def _mine(self) -> RunQuerySet:
        return Run.objects.held(run_id=self.run.pk, claim=self._claim)


Executor = Callable[[RunLease], None]
"""Does a run's work and calls `hold.finish`; raises what went wrong."""


def execute(run_id: int, executors: Mapping[str, Executor]) -> Run | None:
    """Claim a run, do its work and record how it ended.

    Returns:
        The run as it ended, or None when this worker did not get it.
    """
    lease = claim_run(run_id)
    if lease is None:
        return None
    try:
        with (
            structlog.contextvars.bound_contextvars(run_id=run_id),
            tracing.span("run", run_id=run_id, kind=str(lease.run.kind)),
            lease.beating(),
            limited(lambda: Visibility.only(lease.run.project_id)),
        ):
            _work(lease, executors[lease.run.kind])
    except LeaseLost as lost:
        logger.warning("%s", lost)
    # What a run leaves are few objects that hold much and each other, and the collector of a worker is tuned
    # to look for such almost never.
    gc.collect()
    return Run.objects.get(pk=run_id)


def _work(lease: RunLease, executor: Executor) -> None:
    try:
        executor(lease)
    except LeaseLost:
        raise
    except Cancelled:
        _stop(lease)
    except BudgetExhausted as spent:
        lease.give_back(str(spent), kind="budget_spent")
    except (WorldwrightError, ServiceError) as error:
        lease.fail(error)
    except connections.CONNECTION_LOST as error:
        logger.warning("Run %s lost the database: %s", lease.run.pk, error)
        connections.drop()
        lease.lose(error)
    except Exception as error:  # the boundary that records every failure of a run
        logger.exception("Run %s failed", lease.run.pk)
        lease.fail(error)


def _stop(lease: RunLease) -> None:
    """End a run that stopped as asked, or hand it back when only its worker was asked to end."""
    if stopping.asked() and not lease.asked_to_stop():
        lease.hand_back()
    else:
        lease.cancel()
