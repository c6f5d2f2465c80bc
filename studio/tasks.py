"""Celery tasks: thin, each carries a run id or nothing and calls one service."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from celery.signals import worker_init, worker_shutting_down

from studio.jobs import execute_most_urgent
from studio.models import Run, RunKind
from studio.models.runs import queue_of
from studio.services.notifications import mail
from studio.services.operations import process_metrics, retention
from studio.services.review.queue import release_expired
from studio.services.runs import dispatch, heap, releases, stopping
from studio.services.runs.runs import reap_runs


@shared_task(name="studio.execute_run")
def execute(run_id: int) -> None:
    """A run waits: execute it, or one of its queue that is more urgent and whose own message is still on its
    way."""
    kind = Run.objects.filter(pk=run_id).values_list("kind", flat=True).first()
    if kind is None:
        return  # deleted meanwhile
    if kind not in RunKind:
        releases.leave_to_later(run_id)
        return
    queue = queue_of(kind)
    if stopping.asked():
        dispatch.send(run_id, queue)
    else:
        execute_most_urgent(queue)
        releases.leave_to_later(run_id)


@shared_task(name="studio.reap_runs")
def reap() -> None:
    """Find lost runs, free expired claims."""
    reap_runs()
    release_expired()


@shared_task(name="studio.send_notifications")
def send_notifications() -> None:
    """Send by e-mail what is due."""
    mail.send_due()


@shared_task(name="studio.apply_retention")
def apply_retention() -> None:
    """Delete what is past its time."""
    retention.apply()


@worker_init.connect
def begin(**_: Any) -> None:
    """A worker begins: its threads, which are not there yet, share their memory; its figures are offered."""
    heap.share()
    process_metrics.offer()


@worker_shutting_down.connect
def stop(**_: Any) -> None:
    """The worker was asked to end: its runs are handed back."""
    stopping.ask()
