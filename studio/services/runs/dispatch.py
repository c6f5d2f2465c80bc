"""Dispatch: telling a worker that a run waits. The message carries the run's id and nothing else, and goes to
the queue of the run's kind."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from studio.models import Run
from studio.models.runs import queue_of
from studio.services.telemetry import tracing
from studio.work_queue import WorkQueue

EXECUTE = "studio.execute_run"

logger = logging.getLogger(__name__)


def announce(run: Run) -> None:
    """Tell the workers of a queued run as soon as the surrounding transaction is committed."""
    logger.info("Run %s is queued", run.pk, extra={"run_id": run.pk})
    tracing.note("queued", run_id=run.pk)
    transaction.on_commit(partial(send, run.pk, queue_of(run.kind)))


def name_of(queue: WorkQueue) -> str:
    """The name of a queue at the broker, which others may use as well."""
    return f"{settings.CELERY_TASK_DEFAULT_QUEUE}.{queue}"


def send(run_id: int, queue: WorkQueue) -> bool:
    """Tell the workers of a queued run now.

    Args:
        run_id: Its number.
        queue: That of its kind.

    Returns:
        Whether the broker took the message. When it did not, the run stays queued and the reaper sends again.
    """
    try:
        current_app.send_task(EXECUTE, args=[run_id], queue=name_of(queue))
    except (OperationalError, OSError) as error:
        logger.warning("The broker did not take run %s: %s", run_id, error)
        return False
    return True


def waiting_messages(work: WorkQueue) -> int:
    """Messages in a queue at the broker that were given to no worker yet; 0 when it cannot be asked."""
    queue = current_app.amqp.queues[name_of(work)]
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
