"""Operations: what this installation stands on, what protects it, and the work it has."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

from django.conf import settings
from django.db import connection
from django.db.models import Count, Max

from studio.models import Run, RunState
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
    """

    sandbox: SandboxStatus
    database: str
    broker: str
    release: str
    runs: dict[str, int]
    last_beat: object


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
    )
