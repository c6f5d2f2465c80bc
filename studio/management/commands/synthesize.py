"""`manage.py synthesize`: environments from sentences."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from contextlib import ExitStack
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from studio.management.run_progress import follow
from studio.management.worker_process import WorkerProcess
from studio.services import synthesis
from studio.services.refusals import Refused
from synthesis.errors import WorldwrightError


class Command(BaseCommand):
    help = "Make and prove an environment from a sentence."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scenario", help="the application in a sentence or up to a page")
        parser.add_argument(
            "--author", default="procedural", help="who writes the parts: procedural or model"
        )
        parser.add_argument("--seed", type=int, default=0, help="seed of the procedural author")
        parser.add_argument(
            "--no-worker", action="store_true", help="leave the run to workers started elsewhere"
        )
        parser.add_argument("--no-wait", action="store_true", help="queue the run and print its number")
        parser.add_argument("--json", action="store_true", help="print the result as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        console = Console(stderr=options["json"])
        try:
            request = synthesis.new_request(
                sentence=options["scenario"], author=options["author"], seed=options["seed"]
            )
            run = synthesis.start_synthesis(request=request)
        except (WorldwrightError, Refused) as error:
            raise CommandError(str(error)) from error
        if options["no_wait"]:
            self.stdout.write(str(run.pk))
            return
        with ExitStack() as stack:
            alive = _ignore
            if not options["no_worker"]:
                alive = stack.enter_context(WorkerProcess(concurrency=1, beat=False)).require_alive
            ended = follow(run, console=console, alive=alive)
        assert ended.result is not None
        if options["json"]:
            self.stdout.write(json.dumps(ended.result))
        else:
            console.print(f"Made {ended.result['environment']}, revision {ended.result['revision']}.")


def _ignore() -> None:
    """Workers elsewhere are not watched."""
