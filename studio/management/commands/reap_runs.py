"""`manage.py reap_runs`: find runs whose worker was lost."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from studio.services.review.queue import release_expired
from studio.services.runs.runs import reap_runs


class Command(BaseCommand):
    help = "Requeue lost runs, announce waiting ones, release expired review claims. Safe to run at any time."

    def handle(self, *_: Any, **__: Any) -> None:
        reaped = reap_runs()
        for name, runs in vars(reaped).items():
            if runs:
                self.stdout.write(f"{name}: {', '.join(str(run) for run in runs)}")
        if freed := release_expired():
            self.stdout.write(f"claims released: {freed}")
