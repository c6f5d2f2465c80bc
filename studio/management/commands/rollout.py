"""`manage.py rollout`: agents try tasks of one environment, or of many."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from contextlib import ExitStack
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from pydantic import ValidationError
from rich.console import Console

from studio.management.demonstration.summary import show_verdicts
from studio.management.run_progress import follow
from studio.management.worker_process import WorkerProcess
from studio.models import Run
from studio.services import environments, rollout_batches, rollouts
from studio.services.refusals import Refused
from studio.services.rollout_agents import AgentSettings
from studio.services.rollout_summary import verdicts_by_agent
from synthesis.errors import WorldwrightError


class Command(BaseCommand):
    help = "Let agents play tasks and store what they did with its verdicts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "environment",
            nargs="*",
            help="name of the environment; several, or --state, are played as a batch of runs",
        )
        parser.add_argument("--agent", action="append", default=[], help="agent to play (again for more)")
        parser.add_argument(
            "--task", action="append", default=[], help="task to play (again for more); all if none"
        )
        parser.add_argument(
            "--seed", action="append", type=int, default=[], help="seed (again for more); 0 if none"
        )
        parser.add_argument("--samples", type=int, help="tries per task with following seeds, as a batch")
        parser.add_argument("--state", default="", help="only environments in this state, as a batch")
        parser.add_argument("--model", default="", help="model to ask; WORLDWRIGHT_MODEL if none")
        parser.add_argument(
            "--history", default="", help="what a model is shown: full, window:3, tokens:16000"
        )
        parser.add_argument("--at-once", type=int, default=4, help="episodes side by side (4)")
        parser.add_argument(
            "--isolation", choices=["process", "shared"], default="process", help="how episodes are sealed"
        )
        parser.add_argument("--budget-tokens", type=int, help="tokens the whole batch may use")
        parser.add_argument("--budget-cost", type=float, help="US dollars the whole batch may spend")
        parser.add_argument(
            "--no-worker", action="store_true", help="leave the run to workers started elsewhere"
        )
        parser.add_argument("--json", action="store_true", help="print the verdicts as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        console = Console(stderr=options["json"])
        try:
            run = _started(options)
        except (WorldwrightError, Refused, ValidationError) as error:
            raise CommandError(str(error)) from error
        with ExitStack() as stack:
            alive = _ignore
            if not options["no_worker"]:
                alive = stack.enter_context(WorkerProcess(concurrency=1, beat=False)).require_alive
            ended = follow(run, console=console, alive=alive)
        verdicts = verdicts_by_agent(ended)
        if options["json"]:
            self.stdout.write(json.dumps(verdicts))
        else:
            show_verdicts(console, verdicts)


def _started(options: dict[str, Any]) -> Run:
    play = rollouts.PlaySettings(
        agent=AgentSettings(model=options["model"], history=options["history"]),
        isolation=options["isolation"],
        at_once=options["at_once"],
    )
    agents, seeds = options["agent"] or ["reference"], options["seed"] or [0]
    if not options["environment"] and not options["state"]:
        raise CommandError("Name at least one environment, or choose them by --state.")
    batch = ("samples", "state", "budget_tokens", "budget_cost")
    if len(options["environment"]) == 1 and not any(options[name] for name in batch):
        return rollouts.start_rollouts(
            record=environments.find(options["environment"][0]),
            agents=agents,
            tasks=options["task"],
            seeds=seeds,
            play=play,
        )
    return rollout_batches.start_rollout_batch(
        environments=rollout_batches.environments_for(names=options["environment"], state=options["state"]),
        agents=agents,
        samples=options["samples"] or 1,
        first_seed=seeds[0],
        tasks=rollout_batches.TaskFilter(names=tuple(options["task"])),
        play=play,
        budget_tokens=options["budget_tokens"],
        budget_cost=options["budget_cost"],
    )


def _ignore() -> None:
    """Workers elsewhere are not watched."""
