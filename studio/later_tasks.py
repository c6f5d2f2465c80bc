"""Tasks of a later release: a worker that does not know one gives its message back instead of dropping it."""

from __future__ import annotations

import logging
from typing import Any

from celery.worker.consumer import Consumer

from studio.release import PAUSE

logger = logging.getLogger(__name__)


class PatientConsumer(Consumer):
    """Celery's consumer of messages, which would drop what it does not know."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._unknown: set[str] = set()
        super().__init__(*arguments, **options)

    def on_unknown_task(self, _: Any, message: Any, error: Exception) -> None:
        """Give the message back after a pause, which keeps it from going round and round."""
        name = str(error.args[0]) if error.args else "?"
        if name not in self._unknown:
            self._unknown.add(name)
            logger.error(
                "This release has no task %s; its messages are left to workers of a later one. Upgrade this "
                "worker.",
                name,
            )
        consumer: Any = self
        arguments = (message.reject_log_error, logger, consumer.connection_errors, True)
        consumer.timer.call_after(PAUSE, consumer.call_soon, arguments)
