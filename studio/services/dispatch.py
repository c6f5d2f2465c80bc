"""Dispatch: telling a worker that a run waits. The message carries the run's id and nothing else."""

from __future__ import annotations

import logging
from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from studio.models import Run

EXECUTE = "studio.execute_run"

logger = logging.getLogger(__name__)


def announce(run: Run) -> None:
    """Tell the workers of a queued run as soon as the surrounding transaction is committed."""
    transaction.on_commit(partial(send, run.pk))


def send(run_id: int) -> bool:
    """Tell the workers of a queued run now.

    Returns:
        Whether the broker took the message. When it did not, the run stays queued and the reaper sends again.
    """
    try:
        current_app.send_task(EXECUTE, args=[run_id])
    except (OperationalError, OSError) as error:
        logger.warning("The broker did not take run %s: %s", run_id, error)
        return False
    return True
