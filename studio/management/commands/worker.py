"""`manage.py worker`: one more worker."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from studio.celery import app
from studio.management.worker_process import worker_arguments


class Command(BaseCommand):
    help = "Start a Celery worker that executes runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, help="runs executed in parallel")
        parser.add_argument(
            "--no-beat", action="store_true", help="do not look for lost runs; another worker does"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        app.worker_main(worker_arguments(concurrency=options["concurrency"], beat=not options["no_beat"]))
