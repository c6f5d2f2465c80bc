"""`manage.py synthesize`: environments from sentences."""

from __future__ import annotations

import json
from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console

from studio.management.batch_progress import follow_batch, show_summary
from studio.management.interruption import explained, how_to_go_on
from studio.management.next_steps import show_created, show_created_in_batch
from studio.management.project_command import ProjectCommand
from studio.management.refusal import refusal
from studio.management.run_progress import follow
from studio.management.schema_import import add_schema_options, show_findings, start_from_schema
from studio.management.worker_process import worker_for
from studio.models import Run, RunKind, RunState
from studio.services.errors import ServiceError
from studio.services.llm.pool import split_models
from studio.services.llm.spend import budget_pause
from studio.services.runs import runs
from studio.services.runs.batch_summary import summarise
from studio.services.synthesis import batch_estimate, batches, synthesis
from studio.services.synthesis.authors import RECORDED
from synthesis.cli.console import escaping
from synthesis.errors import InvalidInput, WorldwrightError
from synthesis.pipeline.expansion.seeds import Seeds, read_seeds

PLAIN_WIDTH = 120
"""Columns where there is no terminal."""


class Command(ProjectCommand):
    help = "Synthesise and prove environments: one from a sentence, or many from a file of seeds."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = (
            "A model is reached with OPENAI_API_KEY, WORLDWRIGHT_MODEL and, at another server than OpenAI's, "
            "OPENAI_BASE_URL. WORLDWRIGHT_ENDPOINT_SECONDS is its time for one answer (300), "
            "WORLDWRIGHT_RUN_BUDGET what one run may spend in US dollars. The reference of the documentation "
            "lists all settings."
        )
        parser.add_argument("scenario", nargs="?", help="the application in a sentence or up to a page")
        parser.add_argument("--seeds", type=Path, help="file of seeds (.jsonl, .csv, or one per line)")
        parser.add_argument("--count", type=int, help="number of environments; one per seed if not given")
        parser.add_argument(
            "--author",
            default="procedural",
            help="who writes the parts: procedural, model, or recorded (a model's run, replayed)",
        )
        parser.add_argument(
            "--models",
            default="",
            help="models of the model author, separated by commas; the next one stands in",
        )
        parser.add_argument(
            "--second-models", default="", help="models asked when the first author has spent its attempts"
        )
        parser.add_argument("--seed", type=int, default=0, help="seed of the (first) environment")
        parser.add_argument(
            "--tasks",
            type=int,
            help="tasks of each environment; if not given, as many as it offers up to the setting",
        )
        parser.add_argument(
            "--expand", action=BooleanOptionalAction, help="whether a model proposes scenarios from the seeds"
        )
        parser.add_argument("--budget", type=float, help="US dollars the whole batch may spend")
        parser.add_argument("--budget-tokens", type=int, help="tokens the whole batch may use")
        parser.add_argument("--priority", type=int, help="of a batch, -100 to 100")
        parser.add_argument("--estimate", action="store_true", help="estimate a batch without starting it")
        parser.add_argument("--resume", type=int, metavar="RUN", help="resume an earlier run or batch")
        add_schema_options(parser)
        parser.add_argument("--workers", type=int, help="runs executed in parallel")
        parser.add_argument(
            "--no-worker", action="store_true", help="leave runs to workers that run elsewhere"
        )
        parser.add_argument("--no-wait", action="store_true", help="queue the run and print its number")
        parser.add_argument("--json", action="store_true", help="print the result as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        console = escaping(Console(stderr=options["json"]))
        if not console.is_terminal:
            console.width = PLAIN_WIDTH
        try:
            if options["estimate"]:
                self._estimate(options)
                return
            run = _resumed(options) if options["resume"] is not None else _start(options, self.stderr.write)
        except (WorldwrightError, ServiceError) as error:
            raise refusal(error) from error
        if options["no_wait"]:
            self.stdout.write(str(run.pk))
            return
        with explained(run, self.stderr.write, worker=not options["no_worker"]):
            ended = self._followed(run, console, options)
        if run.kind == RunKind.BATCH:
            self._report_batch(console, ended, options["json"])
        else:
            self._tell(console, ended, options["json"])

    def _followed(self, run: Run, console: Console, options: dict[str, Any]) -> Run:
        is_batch = run.kind == RunKind.BATCH
        workers = options["workers"] or (None if is_batch else 1)
        with worker_for(elsewhere=options["no_worker"], concurrency=workers, beat=is_batch) as alive:
            if is_batch:
                return follow_batch(run, console=console, alive=alive)
            return follow(run, console=console, alive=alive)

    def _tell(self, console: Console, run: Run, as_json: bool) -> None:
        assert run.result is not None
        if as_json:
            self.stdout.write(json.dumps(run.result))
        else:
            show_findings(console, run)
            for message in runs.remarks_on(run, stage="tasks"):
                console.print(message)
            show_created(console, run)

    def _report_batch(self, console: Console, batch: Run, as_json: bool) -> None:
        """The same figures as the batch's page; the status says whether all of it is done."""
        summary = summarise(batch)
        if as_json:
            details = {"batch": batch.pk, "state": batch.state, **asdict(summary)}
            self.stdout.write(json.dumps(details))
        else:
            show_summary(console, batch, summary)
            show_created_in_batch(console, batch)
        if not batch.is_over:
            held = budget_pause(batch, summary)
            why = held.message if held else "It is paused."
            raise CommandError(f"{why}\n{how_to_go_on(batch)}")
        if batch.state != RunState.FINISHED:
            raise CommandError(f"Batch {batch.pk} {batch.state}. {batch.error}".strip())

    def _estimate(self, options: dict[str, Any]) -> None:
        wanted = _wanted(options, self.stderr.write)
        _, expands, _ = batches.require_startable(**wanted)
        estimate = batch_estimate.estimate_batch(
            count=wanted["count"], author=wanted["author"], expands=expands
        )
        if options["json"]:
            stages = {name: each.model_dump() for name, each in estimate.stages.items()}
            details = {"environments": estimate.environments, "tokens": estimate.tokens,
                       "cost": estimate.cost,
                       "recorded": estimate.recorded, "basis": estimate.basis, "stages": stages}  # fmt: skip
            self.stdout.write(json.dumps(details))
        else:
            number = f"{estimate.environments:,} environment{'' if estimate.environments == 1 else 's'}"
            self.stdout.write(f"{number}: {estimate.sentence[:1].lower()}{estimate.sentence[1:]}")


OF_A_BATCH = ("seeds", "count", "tasks", "expand", "budget", "budget_tokens", "priority")
"""Options that only a batch knows; with one of them a single sentence is a batch of one."""


def _start(options: dict[str, Any], tell: Callable[[str], object]) -> Run:
    """The run or batch that is asked for.

    Args:
        options: As typed.
        tell: Told what was left out of a file of seeds, and which sentences are not recognised.

    Raises:
        InvalidInput: Neither a sentence nor a file, or both, or something in them cannot be used.
    """
    if options["from_schema"] is not None:
        return start_from_schema(options)
    if all(options[name] is None for name in OF_A_BATCH):
        recorded = options["author"] == RECORDED
        (sentence,) = (
            ("",) if recorded and not options["scenario"] else _seeds(options["scenario"], None).texts
        )
        request = synthesis.new_request(
            sentence=sentence,
            author=options["author"],
            seed=options["seed"],
            **{name: split_models(options[name]) for name in ("models", "second_models")},
        )
        if (reading := synthesis.reading_of(request)) is not None:
            tell(reading.summary)
            if reading.left_out:
                tell(f"Warning: Not represented: {', '.join(reading.left_out)}.")
        return synthesis.start_synthesis(request=request)
    wanted = _wanted(options, tell)
    batch = batches.start_batch(**wanted)
    doubts = batches.doubts(wanted["seeds"], author=wanted["author"], first_seed=wanted["first_seed"])
    for sentence, doubt in doubts:
        tell(f"Warning: “{sentence}”: {doubt}")
    return batch


def _wanted(options: dict[str, Any], tell: Callable[[str], object]) -> dict[str, Any]:
    """What a batch is asked for, as its service takes it."""
    seeds = _seeds(options["scenario"], options["seeds"])
    if seeds.remarks:
        left_out = seeds.duplicates + seeds.blanks
        more = f"; {left_out:,} lines in all" if left_out > len(seeds.remarks) else ""
        tell(f"Seeds left out: {'; '.join(seeds.remarks)}{more}.")
    return {
        "seeds": seeds.texts,
        "count": len(seeds.texts) if options["count"] is None else options["count"],
        "author": options["author"],
        "first_seed": options["seed"],
        "expand": options["expand"],
        "tasks": options["tasks"],
        "budget_cost": options["budget"],
        "budget_tokens": options["budget_tokens"],
        "priority": options["priority"] or 0,
    }


def _resumed(options: dict[str, Any]) -> Run:
    """An earlier run that goes on: what is held back may begin, and workers are told of all that waits.

    Raises:
        InvalidInput: Something else is asked for as well.
        Missing, Conflict: There is no such run, or it is over.
    """
    if any(options[name] is not None for name in ("scenario", "seeds", "count")):
        raise InvalidInput("--resume continues an earlier request; leave out the other options.")
    return runs.go_on(run=runs.find(options["resume"]))


def _seeds(scenario: str | None, path: Path | None) -> Seeds:
    if path is not None and scenario is None:
        return read_seeds(path)
    if scenario is not None and path is None:
        return Seeds((scenario,))
    raise InvalidInput("Give either a sentence or a file with --seeds, not both.")
