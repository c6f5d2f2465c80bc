"""`manage.py reap_runs`: find runs whose worker was lost."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from studio.services.queue import release_expired
from studio.services.runs import reap_runs


class Command(BaseCommand):
    help = "Queue lost runs again, announce waiting ones, free expired claims. Safe to run at any time."

    def handle(self, *_: Any, **__: Any) -> None:
        found = reap_runs()
        for name, runs in vars(found).items():
            if runs:
                self.stdout.write(f"{name}: {', '.join(str(run) for run in runs)}")
        if freed := release_expired():
            self.stdout.write(f"claims freed: {freed}")
