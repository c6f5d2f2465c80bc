"""`manage.py synthesize`: environments from sentences."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.table import Table

from studio.management.run_progress import follow
from studio.management.worker_process import WorkerProcess
from studio.models import Run
from studio.services import batches, synthesis
from studio.services.batch_summary import BatchSummary, summarise
from studio.services.refusals import Refused
from synthesis.errors import InvalidInput, WorldwrightError
from synthesis.pipeline.expansion.seeds import read_seeds


class Command(BaseCommand):
    help = "Make and prove environments: one from a sentence, or many from a file of seeds."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scenario", nargs="?", help="the application in a sentence or up to a page")
        parser.add_argument("--seeds", type=Path, help="file of seeds (.jsonl, .csv, or one per line)")
        parser.add_argument("--count", type=int, help="environments wanted; one per seed if not given")
        parser.add_argument(
            "--author", default="procedural", help="who writes the parts: procedural or model"
        )
        parser.add_argument("--seed", type=int, default=0, help="seed of the (first) environment")
        parser.add_argument("--workers", type=int, help="runs executed side by side")
        parser.add_argument(
            "--no-worker", action="store_true", help="leave runs to workers started elsewhere"
        )
        parser.add_argument("--no-wait", action="store_true", help="queue the run and print its number")
        parser.add_argument("--json", action="store_true", help="print the result as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        console = Console(stderr=options["json"])
        try:
            run, is_batch = _start(options)
        except (WorldwrightError, Refused) as error:
            raise CommandError(str(error)) from error
        if options["no_wait"]:
            self.stdout.write(str(run.pk))
            return
        with ExitStack() as stack:
            alive = _ignore
            if not options["no_worker"]:
                workers = options["workers"] or (None if is_batch else 1)
                alive = stack.enter_context(WorkerProcess(concurrency=workers, beat=is_batch)).require_alive
            ended = follow(run, console=console, alive=alive)
        self._tell(console, ended, summarise(ended) if is_batch else None, options["json"])

    def _tell(self, console: Console, run: Run, summary: BatchSummary | None, as_json: bool) -> None:
        assert run.result is not None
        if as_json:
            self.stdout.write(json.dumps(asdict(summary) if summary else run.result))
        elif summary is None:
            console.print(f"Made {run.result['environment']}, revision {run.result['revision']}.")
        else:
            _show(console, summary)


def _start(options: dict[str, Any]) -> tuple[Run, bool]:
    """The run that is asked for, and whether it is a batch.

    Raises:
        InvalidInput: Neither a sentence nor a file, or both, or something in them cannot be used.
    """
    seeds = _seeds(options["scenario"], options["seeds"])
    count = options["count"]
    if options["seeds"] is None and count is None:
        request = synthesis.new_request(sentence=seeds[0], author=options["author"], seed=options["seed"])
        return synthesis.start_synthesis(request=request), False
    batch = batches.start_batch(
        seeds=seeds,
        count=len(seeds) if count is None else count,
        author=options["author"],
        first_seed=options["seed"],
    )
    return batch, True


def _seeds(scenario: str | None, path: Path | None) -> Sequence[str]:
    if path is not None and scenario is None:
        return read_seeds(path).texts
    if scenario is not None and path is None:
        return (scenario,)
    raise InvalidInput("Give a sentence, or a file with --seeds, and not both.")


def _show(console: Console, summary: BatchSummary) -> None:
    table = Table(title="The batch by stage", title_justify="left")
    for name in ("Stage", "Reached", "Passed", "Attempts", "First attempts", "Cost"):
        table.add_column(name, justify="left" if name == "Stage" else "right")
    for stage in summary.stages:
        first = "" if stage.first_attempts is None else f"{stage.first_attempts:.1%}"
        cost = "" if stage.cost is None else f"${stage.cost:,.2f}"
        words = stage.stage.replace("_", " ")
        table.add_row(words, str(stage.reached), str(stage.passed), str(stage.attempts), first, cost)
    console.print(table)
    states = ", ".join(f"{count} {state}" for state, count in summary.states.items() if count)
    console.print(f"{states}; ${summary.cost:,.2f}, {summary.tokens:,} tokens")
    for kind, where, count in summary.causes:
        console.print(f"  {count} x {kind} at {where.replace('_', ' ') or 'the start'}")


def _ignore() -> None:
    """Workers elsewhere are not watched."""
