"""`manage.py worker`: one more worker."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from studio.celery import app
from studio.management.worker_process import worker_arguments
from studio.work_queue import WorkQueue


class Command(BaseCommand):
    help = "Start a Celery worker that executes runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, help="runs executed in parallel")
        parser.add_argument(
            "--queues",
            metavar="NAME[,NAME]",
            type=_queues,
            help=f"take only such runs: {', '.join(WorkQueue)} (default: WORLDWRIGHT_QUEUES, or all)",
        )
        parser.add_argument(
            "--no-beat", action="store_true", help="do not look for lost runs; another worker does"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        queues = options["queues"] or settings.WORLDWRIGHT.queues
        beat = not options["no_beat"]
        app.worker_main(worker_arguments(concurrency=options["concurrency"], beat=beat, queues=queues))


def _queues(text: str) -> tuple[WorkQueue, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := set(names) - set(WorkQueue):
        known = ", ".join(WorkQueue)
        raise ArgumentTypeError(f"there is no queue {', '.join(sorted(unknown))}; choose from {known}")
    return tuple(map(WorkQueue, names))
