"""Releases: workers of an earlier release leave what a later one queued to workers of that one."""

from __future__ import annotations

import logging

from celery.exceptions import Reject

from studio.models import Run, RunEvent
from studio.release import PAUSE, own_release
from studio.services.runs import stopping

logger = logging.getLogger(__name__)

LEFT = "left_to_later_release"


def leave_to_later(run_id: int) -> None:
    """Pass, unless the run waits for a worker of a later release.

    Raises:
        Reject: It does: its message goes back to the broker.
    """
    later = Run.objects.claimable().filter(pk=run_id, release__gt=own_release()).first()
    if later is None:
        return
    if not later.events.filter(kind=LEFT).exists():
        text = "A later release queued it than the one of a worker that was asked; it waits for another."
        RunEvent.objects.create(run=later, kind=LEFT, text=text)
        logger.warning("Run %s was queued by a later release; upgrade this worker.", run_id)
    stopping.wait(PAUSE)
    raise Reject("queued by a later release", requeue=True)
