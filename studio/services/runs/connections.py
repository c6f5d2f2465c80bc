"""Connections: long work holds none while it waits, and a lost one costs a repeated statement."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)

CONNECTION_LOST: tuple[type[Exception], ...] = (OperationalError, InterfaceError)
"""What a statement raises when the database went away under it."""

Result = TypeVar("Result")


def let_go() -> None:
    """Give this thread's connection back to the pool; one of SQLite costs nothing and is kept."""
    if not connection.in_atomic_block and connection.settings_dict["OPTIONS"].get("pool"):
        connection.close()


def drop() -> None:
    """Close this thread's connection, whatever state it is in; the next statement opens another."""
    if not connection.in_atomic_block:
        connection.close()


def steadily(work: Callable[[], Result]) -> Result:
    """The outcome of some database work, done a second time on a new connection when the first was lost.

    Only for work that may be done twice. Within a transaction it is done once.

    Raises:
        OperationalError, InterfaceError: The database is not there the second time either.
    """
    if connection.in_atomic_block:
        return work()
    try:
        return work()
    except CONNECTION_LOST as error:
        logger.warning("The database connection was lost: %s. Retrying on a new one.", error)
        drop()
        return work()
    finally:
        let_go()
