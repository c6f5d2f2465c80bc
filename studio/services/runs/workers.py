"""Workers as their runs show them: whoever gave a sign of life lately, on whatever machine."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from studio.models import Run, RunState


def busy_workers() -> dict[str, int]:
    """Processes that gave a sign of life for a run lately, to how many runs they execute."""
    since = timezone.now() - timedelta(seconds=settings.WORLDWRIGHT.lost_after_seconds)
    alive = Run.objects.filter(state=RunState.RUNNING, heartbeat_at__gte=since).order_by("worker")
    return dict(alive.values_list("worker").annotate(runs=Count("pk")))
