"""Operations: what this installation runs on, what protects it, and its present work."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.metadata import version

from django.conf import settings
from django.db import connection
from django.db.models import Count, Max

from studio.models import Run, RunState, WorldServer
from studio.services.operations import retention
from studio.services.operations.retention import RetentionCount
from studio.services.runs import embedded_worker
from studio.services.runs.embedded_worker import EmbeddedWorker
from studio.services.runs.workers import busy_workers, waiting_by_queue
from studio.services.world_servers import registry
from synthesis.worlds.sandbox.probe import probe
from synthesis.worlds.sandbox.status import SandboxStatus


@dataclass(frozen=True, kw_only=True)
class Operations:
    """What an operator looks at first.

    Attributes:
        sandbox: The layers around generated code on this host.
        database: Kind of the database, never its address.
        broker: Kind of the broker, never its address.
        release: Version of this program.
        runs: State of runs to how many there are.
        last_beat: Latest sign of life of any run, or None.
        worker: The worker that this process keeps running; None where others start the workers.
        busy: Processes that execute runs now, to how many; on whatever machine.
        waiting: Runs that wait for a worker, by queue.
        free_bytes: Free space where the data is.
        retention: What is deleted after how many days, and what of it is due.
        world_servers: Servers of worlds that registered here.
    """

    sandbox: SandboxStatus
    database: str
    broker: str
    release: str
    runs: dict[str, int]
    last_beat: object
    worker: EmbeddedWorker | None
    busy: dict[str, int]
    waiting: dict[str, int]
    free_bytes: int
    retention: list[RetentionCount]
    world_servers: list[WorldServer]


def operations() -> Operations:
    """The installation as it is now.

    Raises:
        InvalidInput: WORLDWRIGHT_SANDBOX holds something unknown.
    """
    counted = dict(Run.objects.order_by().values_list("state").annotate(runs=Count("pk")))
    return Operations(
        sandbox=probe(),
        database={"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(connection.vendor, connection.vendor),
        broker=str(settings.CELERY_BROKER_URL).partition("://")[0],
        release=version("worldwright"),
        runs={str(state.label): counted.get(state.value, 0) for state in RunState},
        last_beat=Run.objects.aggregate(last=Max("heartbeat_at"))["last"],
        worker=embedded_worker.current(),
        busy=busy_workers(),
        waiting={str(queue): count for queue, count in waiting_by_queue().items()},
        free_bytes=shutil.disk_usage(settings.VAR_DIR).free,
        retention=retention.planned(),
        world_servers=list(registry.listed()),
    )
