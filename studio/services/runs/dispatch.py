"""Dispatch: telling a worker that a run waits. The message carries the run's id and nothing else."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from studio.models import Run

EXECUTE = "studio.execute_run"

logger = logging.getLogger(__name__)


def announce(run: Run) -> None:
    """Tell the workers of a queued run as soon as the surrounding transaction is committed."""
    logger.info("Run %s is queued", run.pk, extra={"run_id": run.pk})
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


def waiting_messages() -> int:
    """Messages that lie at the broker and were given to no worker yet; 0 when it cannot be asked."""
    queue = current_app.amqp.queues[current_app.conf.task_default_queue]
    try:
        with current_app.connection_for_write() as broker:
            channel: Any = broker.default_channel
            declared = channel.queue_declare(
                queue=queue.name,
                durable=queue.durable,
                exclusive=queue.exclusive,
                auto_delete=queue.auto_delete,
                arguments=queue.queue_arguments,
            )
            return int(declared.message_count)
    except (OperationalError, OSError) as error:
        logger.warning("The broker could not report how much is waiting: %s", error)
        return 0
