"""`manage.py grade`: environments graded by a judge model."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from rich.console import Console
from rich.table import Table

from studio.management.interruption import explained
from studio.management.project_command import ProjectCommand
from studio.management.refusal import refusal
from studio.management.run_progress import follow
from studio.management.worker_process import worker_for
from studio.services.environments import environments
from studio.services.errors import ServiceError
from studio.services.judging import quality
from synthesis.cli.console import escaping
from synthesis.errors import WorldwrightError


class Command(ProjectCommand):
    help = "Grade environments with a judge model: three criteria from 1 to 5, bugs, tasks blocked by a bug."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("environment", nargs="?", help="name of the environment; a sample if not given")
        parser.add_argument("--sample", type=int, help="size of the sample")
        parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
        parser.add_argument(
            "--no-worker", action="store_true", help="leave the run to workers that run elsewhere"
        )
        parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        console = escaping(Console(stderr=options["json"]))
        try:
            run = quality.start_grading(
                environment=environments.find(options["environment"]) if options["environment"] else None,
                sample=options["sample"],
                seed=options["seed"],
            )
        except (WorldwrightError, ServiceError) as error:
            raise refusal(error) from error
        with (
            explained(run, self.stderr.write, worker=not options["no_worker"]),
            worker_for(elsewhere=options["no_worker"]) as alive,
        ):
            ended = follow(run, console=console, alive=alive)
        summary = quality.summary()
        if options["json"]:
            self.stdout.write(json.dumps({"run": ended.pk, **(ended.result or {}), **summary.as_json()}))
        else:
            _show(console, summary)


def _show(console: Console, summary: quality.QualitySummary) -> None:
    table = Table("Criterion", "Judge", "People", *quality.PUBLISHED)
    for each in summary.criteria:
        published = (f"{means[each.name]:.2f}" for means in quality.PUBLISHED.values())
        table.add_row(each.title, _figure(each.judged), _figure(each.people), *published)
    console.print(table)
    console.print(
        f"{summary.environments} environments graded, {summary.bugs} bugs reported, "
        f"{summary.blocked} of {summary.tasks} tasks blocked."
    )


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
