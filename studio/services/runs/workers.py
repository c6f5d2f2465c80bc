"""Workers as their runs show them, on whatever machine: who gave a sign of life, what waits for them."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from studio.models import Run, RunState
from studio.models.runs import queue_of
from studio.work_queue import WorkQueue


def busy_workers() -> dict[str, int]:
    """Processes that gave a sign of life for a run lately, to how many runs they execute."""
    now, after = timezone.now(), timedelta(seconds=settings.WORLDWRIGHT.lost_after_seconds)
    alive = Run.objects.filter(
        state=RunState.RUNNING, heartbeat_at__range=(now - after, now + after)
    ).order_by("worker")
    return dict(alive.values_list("worker").annotate(runs=Count("pk")))


def waiting_by_queue() -> dict[WorkQueue, int]:
    """Runs that wait for a worker, by the queue they wait in; 0 where none does."""
    waiting = dict.fromkeys(WorkQueue, 0)
    known = Run.objects.claimable().of_known_kinds()
    for kind, count in known.order_by().values_list("kind").annotate(runs=Count("pk")):
        waiting[queue_of(kind)] += count
    return waiting
