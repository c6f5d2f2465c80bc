"""`manage.py judge`: how far a judge can be relied on."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from studio.management.interruption import explained
from studio.management.project_command import ProjectCommand
from studio.management.refusal import refusal
from studio.management.run_progress import follow
from studio.management.worker_process import worker_for
from studio.models import Run
from studio.services.environments import environments
from studio.services.errors import ServiceError
from studio.services.judging import judge_figures, judging
from synthesis.cli.console import escaping
from synthesis.errors import WorldwrightError

TITLES = {
    "pairwise_agreement": "Pairwise agreement",
    "flip_rate": "Flip rate",
    "fleiss_kappa": "Fleiss' kappa",
}


class Command(ProjectCommand):
    help = "Judge stored trajectories several times and report the judge's reliability."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--strategy",
            default="code_only",
            help=f"who judges: {', '.join(judging.STRATEGIES)} (code_only if not given)",
        )
        parser.add_argument("--environment", help="name of the environment; all of them if not given")
        parser.add_argument("--repeats", type=int, help="judgements of each trajectory")
        parser.add_argument("--sample", type=int, help="size of the sample")
        parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
        parser.add_argument(
            "--no-worker", action="store_true", help="leave the run to workers that run elsewhere"
        )
        parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        console = escaping(Console(stderr=options["json"]))
        try:
            run = judging.start_judging(
                strategy=options["strategy"],
                environment=environments.find(options["environment"]) if options["environment"] else None,
                repeats=options["repeats"],
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
        assert ended.result is not None
        if options["json"]:
            compared = [each.as_json() for each in judge_figures.comparisons(ended)]
            self.stdout.write(json.dumps({"run": ended.pk, **ended.result, "comparisons": compared}))
        else:
            _show(console, ended)


def _show(console: Console, run: Run) -> None:
    assert run.result is not None
    table = Table("Figure", "Here", "95 % interval", "Published")
    for name, title in TITLES.items():
        figure = run.result["reliability"][name]
        table.add_row(
            title,
            f"{figure['value']:.3f}",
            f"{figure['low']:.3f} to {figure['high']:.3f}",
            f"{run.result['published'][name]:.3f}",
        )
    console.print(table)
    for each in judge_figures.comparisons(run):
        if each.both:
            console.print(f"Same as {escape(each.title)}: {each.same} of {each.both}")
    console.print(f"Trajectories for people to decide: {run.result['disagreements']}")
