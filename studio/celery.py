"""The Celery application; its settings are Django's `CELERY_*` settings."""

from __future__ import annotations

import os
from typing import Any

import click
from celery import Celery, bootsteps
from celery.beat import EmbeddedService
from celery.signals import worker_ready
from kombu.transport import TRANSPORT_ALIASES

from studio.steady_scheduler import SteadyScheduler
from synthesis.worlds.collector import tune_collector

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

# By name, so that each is imported only where it is the broker.
TRANSPORT_ALIASES["redis"] = TRANSPORT_ALIASES["rediss"] = "studio.redis_broker:Transport"
TRANSPORT_ALIASES["filesystem"] = "studio.file_broker:FileTransport"

app = Celery("studio")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["studio"])


class Clock(bootsteps.StartStopStep):
    """Sends what is due by CELERY_BEAT_SCHEDULE, from a thread of the worker.

    Celery's own `--beat` is a process beside the worker, which stays behind when the worker is killed, and
    keeps a file that two workers on one host fight over.
    """

    def __init__(self, worker: Any, *, clock: bool = False, **options: Any) -> None:
        self.enabled = clock
        super().__init__(worker, **options)

    def create(self, worker: Any) -> Any:
        """The thread; it is started and stopped with the worker."""
        return EmbeddedService(worker.app, thread=True, scheduler_cls=SteadyScheduler)


app.steps["worker"].add(Clock)
app.user_options["worker"].add(
    click.Option(["--clock"], is_flag=True, help="Look for lost runs periodically.")
)


@worker_ready.connect
def _begin(**_: object) -> None:
    tune_collector()
