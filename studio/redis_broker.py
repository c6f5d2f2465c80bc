"""Redis as the broker: kombu's transport, with which a worker outlives the loss of its connection."""

from __future__ import annotations

from typing import Any

from kombu.transport import redis
from redis.exceptions import ConnectionError as ConnectionLost


class _Channel(redis.Channel):
    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        """Where to connect to.

        A lost connection is closed by Celery twice, and runs begun before are acknowledged on its channel,
        which knows no address any more. kombu then fails with an AttributeError, and the worker ends; told as
        a lost connection, Celery goes on with the next one. Nothing is lost with the acknowledgement: a
        message that comes again executes whatever run waits.
        """
        transport: Any = self.connection
        if transport is None or transport.client is None:
            raise ConnectionLost("The connection to the broker was lost and closed.")
        results: dict[str, Any] = super()._connparams(asynchronous=asynchronous)  # type: ignore[misc]
        return results


class Transport(redis.Transport):
    """Redis, as `studio.celery` makes kombu know it."""

    Channel = _Channel
