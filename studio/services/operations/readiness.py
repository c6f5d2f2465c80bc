"""Readiness: whether this process can do its work now, checked part by part."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable

from celery import current_app
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from kombu.exceptions import OperationalError

from studio.services.exports import stored_archives

logger = logging.getLogger(__name__)

LEAST_FREE_BYTES = 200 * 2**20
BROKER_SECONDS = 2


def unready() -> dict[str, str]:
    """What is missing, by part; empty when all is well. Says no address and no secret."""
    return {name: problem for name, check in CHECKS.items() if (problem := check())}


def _database() -> str:
    try:
        connection = connections[DEFAULT_DB_ALIAS]
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        logger.warning("Not ready: the database: %s", error)
        return "cannot be reached"
    return f"{len(waiting)} migrations are not applied: run migrate" if waiting else ""


def _broker() -> str:
    try:
        with current_app.connection_for_write(connect_timeout=BROKER_SECONDS) as broker:
            broker.ensure_connection(max_retries=1, timeout=BROKER_SECONDS)
    except (OperationalError, OSError) as error:
        logger.warning("Not ready: the broker: %s", error)
        return "cannot be reached"
    return ""


def _storage() -> str:
    folder = settings.VAR_DIR
    if not os.access(folder, os.W_OK):
        return "WORLDWRIGHT_VAR cannot be written"
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        return f"only {free // 2**20} MiB are free"
    return stored_archives.problem()


CHECKS: dict[str, Callable[[], str]] = {"database": _database, "broker": _broker, "storage": _storage}
"""Part to what is wrong with it; empty for nothing."""
