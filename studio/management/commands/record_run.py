"""`manage.py record_run`: an environment made by a model, with all that was said, for `--author recorded`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console

from studio.services.llm.pool import pool
from studio.services.llm.prices import prices
from studio.services.synthesis import synthesis
from synthesis.cli.console import escaping
from synthesis.documents.trajectory import Usage
from synthesis.errors import WorldwrightError
from synthesis.llm.budget import Budget, BudgetLimits
from synthesis.llm.endpoints import endpoint_of
from synthesis.llm.recorded import FolderRecordings
from synthesis.llm.registry import make_provider
from synthesis.pipeline.assembly import RunContext
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.driver import synthesize
from synthesis.pipeline.events import AttemptEnded, Event
from synthesis.pipeline.recorded_run import SHIPPED, RecordedRun, RunRecorder


class Command(BaseCommand):
    help = "Make an environment with the model of the settings and keep the whole run, to be replayed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "scenario",
            nargs="?",
            help="the application in a sentence or up to a page; that of the shipped recording if not given",
        )
        parser.add_argument("--output", type=Path, default=SHIPPED, help="the file; the shipped recording")
        parser.add_argument("--seed", type=int, default=1, help="seed that is passed to the model")

    def handle(self, *_: Any, **options: Any) -> None:
        console = escaping(Console(stderr=True))
        try:
            run = _recorded(options, console)
        except WorldwrightError as error:
            raise CommandError(str(error)) from error
        run.write(options["output"])
        used = sum((each.completion.usage for each in run.exchanges), Usage())
        cost = "no price is known" if used.cost is None else f"${used.cost:.2f}"
        self.stdout.write(
            f"Replies recorded: {len(run.exchanges)} of {run.model} ({used.input_tokens:,} tokens asked, "
            f"{used.cached_tokens:,} of them cached, {used.output_tokens:,} replied, {cost}): "
            f"{options['output']}"
        )


def _recorded(options: dict[str, Any], console: Console) -> RecordedRun:
    """The run as it is made now; what was answered before it was stopped is not asked again."""
    sentence = options["scenario"] or RecordedRun.read().request.sentence
    request = synthesis.new_request(sentence=sentence, author="model", seed=options["seed"])
    request = request.replace(second_author="")
    (endpoint, *_) = pool("author", asking="Author 'model'")
    limits = BudgetLimits(
        run_cost=settings.WORLDWRIGHT.run_budget, run_tokens=settings.WORLDWRIGHT.run_tokens
    )
    provider = make_provider(
        endpoint,
        endpoint=endpoint_of(endpoint),
        prices=prices(),
        budget=Budget(limits),
        recordings=FolderRecordings(settings.VAR_DIR / "recordings"),
    )
    recorder = RunRecorder(provider)
    author = ModelAuthor(recorder)

    def show(event: Event) -> None:
        if isinstance(event, AttemptEnded):
            attempt = event.attempt
            wrong = f": {attempt.findings[0].message[:100]}" if attempt.findings else ""
            console.print(f"{attempt.stage}, attempt {attempt.number}{wrong}", highlight=False)

    synthesize(request, authors={author.name: author}, context=RunContext(on_event=show))
    return RecordedRun(
        request=request,
        model=recorder.model,
        recorded_on=timezone.localdate(),
        exchanges=tuple(recorder.exchanges),
    )
