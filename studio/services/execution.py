"""Execution: one worker's hold on one run, from claiming it to its end."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from studio.models import Attempt, Run, RunEvent, RunState
from studio.models.runs import RunQuerySet
from studio.services.families import settle_batch
from synthesis.errors import AttemptsExhausted, BudgetExhausted, Cancelled, WorldwrightError
from synthesis.pipeline.attempt import Attempt as AttemptDocument

logger = logging.getLogger(__name__)


class HoldLost(Exception):
    """The run was reaped: another worker may have it, so this one writes nothing more."""


def claim_run(run_id: int) -> Hold | None:
    """Take a waiting run; None when another worker was faster, or it is paused, cancelled or over."""
    claim = Run.new_claim()
    taken = (
        Run.objects.claimable()
        .filter(pk=run_id)
        .update(
            state=RunState.RUNNING,
            claim=claim,
            claims=F("claims") + 1,
            worker=f"{socket.gethostname()}:{os.getpid()}"[:120],
            started_at=Coalesce(F("started_at"), Now()),
            heartbeat_at=Now(),
        )
    )
    if not taken:
        return None
    return Hold(Run.objects.select_related("environment", "requested_by").get(pk=run_id), claim)


class Hold:
    """What the executor of a run may do with it; every write fails with `HoldLost` once it was reaped.

    Used as a context manager it gives signs of life from a thread of its own while the work goes on.
    """

    def __init__(self, run: Run, claim: str) -> None:
        self.run = run
        self._claim = claim
        self._over = threading.Event()
        self._pulse: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._pulse = threading.Thread(target=self._beat, name=f"pulse of run {self.run.pk}", daemon=True)
        self._pulse.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._pulse is not None:
            self._pulse.join()

    def cancelled(self) -> bool:
        """Whether somebody asked the run to stop, or it was taken away from this worker."""
        row = self._mine().values_list("cancel_requested_at", "parent__cancel_requested_at").first()
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
        with self.writing(**progress):
            RunEvent.objects.create(
                run=self.run, kind=kind, stage=stage, text=text, payload=dict(payload or {})
            )

    def keep_attempt(self, attempt: AttemptDocument, *, model: str = "") -> None:
        """Record an attempt whole."""
        with self.writing(stage=attempt.stage):
            Attempt.objects.create(
                run=self.run,
                stage=attempt.stage,
                number=attempt.number,
                author=attempt.author,
                model=model,
                prompt=attempt.prompt,
                reply=attempt.reply,
                findings=[finding.model_dump(mode="json") for finding in attempt.findings],
                accepted=attempt.passed,
                input_tokens=attempt.usage.input_tokens,
                cached_tokens=attempt.usage.cached_tokens,
                output_tokens=attempt.usage.output_tokens,
                cost=attempt.usage.cost,
                seconds=attempt.seconds,
            )

    @contextmanager
    def writing(self, **changes: Any) -> Iterator[None]:
        """A transaction that only goes through while the hold stands.

        Raises:
            HoldLost: The run was reaped; nothing of the transaction is kept.
        """
        with transaction.atomic():
            if not self._mine().update(heartbeat_at=Now(), **changes):
                raise HoldLost(f"Run {self.run.pk} was taken away from this worker.")
            yield

    def finish(self, result: Mapping[str, Any]) -> None:
        """The run reached its end; to be called within `writing`, beside what it made."""
        self._end(RunState.FINISHED, "Finished.", result=dict(result))

    def fail(self, error: Exception) -> None:
        """The run cannot go on; the error's own words are kept."""
        stage = error.stage if isinstance(error, AttemptsExhausted) else self._stage()
        self._end(
            RunState.FAILED,
            str(error) or type(error).__name__,
            error=str(error) or type(error).__name__,
            error_type=type(error).__name__,
            error_stage=stage,
        )

    def cancel(self) -> None:
        """The run stopped because somebody asked for it."""
        self._end(RunState.CANCELLED, "Stopped as asked.")

    def give_back(self, text: str) -> None:
        """Let the run wait again, for example when a budget is spent for now."""
        with self.writing():
            self._mine().update(state=RunState.QUEUED, claim="", paused_at=timezone.now())
            RunEvent.objects.create(run=self.run, kind="paused", text=text)

    def _end(self, state: RunState, text: str, **fields: Any) -> None:
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

    def _beat(self) -> None:
        """Give signs of life until the work is over or the hold is lost."""
        try:
            while not self._over.wait(settings.ENV["WORLDWRIGHT_HEARTBEAT_SECONDS"]):
                try:
                    if not self._mine().update(heartbeat_at=Now()):
                        return
                except DatabaseError as error:
                    logger.warning("Run %s could not give a sign of life: %s", self.run.pk, error)
                    connection.close()
        finally:
            connection.close()


Executor = Callable[[Hold], None]
"""Does a run's work and calls `hold.finish`; raises what went wrong."""


def execute(run_id: int, executors: Mapping[str, Executor]) -> Run | None:
    """Claim a run, do its work and record how it ended.

    Returns:
        The run as it ended, or None when this worker did not get it.
    """
    hold = claim_run(run_id)
    if hold is None:
        return None
    try:
        with hold:
            _work(hold, executors[hold.run.kind])
    except HoldLost as lost:
        logger.warning("%s", lost)
    return Run.objects.get(pk=run_id)


def _work(hold: Hold, executor: Executor) -> None:
    try:
        executor(hold)
    except HoldLost:
        raise
    except Cancelled:
        hold.cancel()
    except BudgetExhausted as spent:
        hold.give_back(str(spent))
    except WorldwrightError as error:
        hold.fail(error)
    except Exception as error:  # the boundary that records every failure of a run
        logger.exception("Run %s failed", hold.run.pk)
        hold.fail(error)
