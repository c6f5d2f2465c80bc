"""`manage.py rollout`: agents try an environment's tasks."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from contextlib import ExitStack
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from studio.management.demonstration.summary import show_verdicts
from studio.management.run_progress import follow
from studio.management.worker_process import WorkerProcess
from studio.services import environments, rollouts
from studio.services.refusals import Refused
from synthesis.errors import WorldwrightError


class Command(BaseCommand):
    help = "Let agents play tasks of an environment and store what they did with its verdicts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("environment", help="name of the environment")
        parser.add_argument("--agent", action="append", default=[], help="agent to play (again for more)")
        parser.add_argument(
            "--task", action="append", default=[], help="task to play (again for more); all if none"
        )
        parser.add_argument(
            "--seed", action="append", type=int, default=[], help="seed (again for more); 0 if none"
        )
        parser.add_argument(
            "--no-worker", action="store_true", help="leave the run to workers started elsewhere"
        )
        parser.add_argument("--json", action="store_true", help="print the verdicts as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        console = Console(stderr=options["json"])
        try:
            run = rollouts.start_rollouts(
                record=environments.find(options["environment"]),
                agents=options["agent"] or ["reference"],
                tasks=options["task"],
                seeds=options["seed"] or [0],
            )
        except (WorldwrightError, Refused) as error:
            raise CommandError(str(error)) from error
        with ExitStack() as stack:
            alive = _ignore
            if not options["no_worker"]:
                alive = stack.enter_context(WorkerProcess(concurrency=1, beat=False)).require_alive
            ended = follow(run, console=console, alive=alive)
        assert ended.result is not None
        if options["json"]:
            self.stdout.write(json.dumps(ended.result["verdicts"]))
        else:
            show_verdicts(console, ended.result["verdicts"])


def _ignore() -> None:
    """Workers elsewhere are not watched."""
