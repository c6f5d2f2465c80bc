"""The Celery application; its settings are Django's `CELERY_*` settings."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import worker_ready
from kombu.transport import TRANSPORT_ALIASES

from synthesis.worlds.collector import tune_collector

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

# By name, so that it is imported only where Redis is the broker.
TRANSPORT_ALIASES["redis"] = TRANSPORT_ALIASES["rediss"] = "studio.redis_broker:Transport"

app = Celery("studio")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["studio"])


@worker_ready.connect
def _begin(**_: object) -> None:
    tune_collector()
