"""`manage.py rollout`: agents try tasks of one environment, or of many."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from pydantic import ValidationError
from rich.console import Console

from studio.management.demonstration.summary import show_verdicts
from studio.management.interruption import explained
from studio.management.project_command import ProjectCommand
from studio.management.refusal import refusal
from studio.management.run_progress import follow
from studio.management.worker_process import worker_for
from studio.models import EnvironmentState, Run
from studio.services.environments import environments
from studio.services.errors import ServiceError
from studio.services.rollouts import rollout_batches, rollouts
from studio.services.rollouts.rollout_agents import AgentSettings, agent_names
from studio.services.rollouts.rollout_summary import verdicts_by_agent, why_unscored
from synthesis.cli.console import escaping
from synthesis.errors import WorldwrightError

MOST_CAUSES = 3
"""Reasons why episodes are unscored that are told at the end."""


class Command(ProjectCommand):
    help = "Run agents on tasks and store the trajectories with their verdicts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "environment",
            nargs="*",
            help="name of the environment; several, or --state, run as a batch",
        )
        parser.add_argument(
            "--agent",
            action="append",
            default=[],
            help=f"agent to run (repeatable; reference if not given): {', '.join(agent_names())}",
        )
        parser.add_argument(
            "--task", action="append", default=[], help="task to attempt (repeatable; all if not given)"
        )
        parser.add_argument(
            "--seed",
            action="append",
            type=int,
            default=[],
            help="random seed (repeatable; a batch uses the first; 0 if not given)",
        )
        parser.add_argument(
            "--samples", type=int, help="episodes per task with consecutive seeds, as a batch"
        )
        parser.add_argument(
            "--state",
            default="",
            choices=EnvironmentState.values,
            help="only environments in this state, as a batch",
        )
        parser.add_argument("--model", default="", help="model to use; WORLDWRIGHT_MODEL if not given")
        parser.add_argument(
            "--history",
            default="",
            help="how much of the conversation a model sees: full, window:3, summary:3, tokens:16000",
        )
        parser.add_argument("--at-once", type=int, default=4, help="parallel episodes (default: 4)")
        parser.add_argument(
            "--isolation", choices=["process", "shared"], default="process", help="how episodes are isolated"
        )
        parser.add_argument("--budget-tokens", type=int, help="tokens the whole batch may use")
        parser.add_argument("--budget-cost", type=float, help="US dollars the whole batch may spend")
        parser.add_argument(
            "--no-worker", action="store_true", help="leave the run to workers that run elsewhere"
        )
        parser.add_argument("--json", action="store_true", help="print the verdicts as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        console = escaping(Console(stderr=options["json"]))
        try:
            run = _started(options)
        except ValidationError as error:
            raise CommandError(_message(error)) from error
        except (WorldwrightError, ServiceError) as error:
            raise refusal(error) from error
        with (
            explained(run, self.stderr.write, worker=not options["no_worker"]),
            worker_for(elsewhere=options["no_worker"]) as alive,
        ):
            ended = follow(run, console=console, alive=alive)
        verdicts = verdicts_by_agent(ended)
        if options["json"]:
            self.stdout.write(json.dumps(verdicts))
        else:
            show_verdicts(console, verdicts)
            console.print(f"Step by step at {ended.get_absolute_url()} of the studio (make serve).")
        for message, count in why_unscored(ended)[:MOST_CAUSES]:
            self.stderr.write(f"{count:,} unscored, which says nothing about the agent: {message}")


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
    if len(options["environment"]) == 1 and all(options[name] in (None, "") for name in batch):
        return rollouts.start_rollouts(
            record=environments.find(options["environment"][0]),
            agents=agents,
            tasks=options["task"],
            seeds=seeds,
            play=play,
        )
    if len(seeds) > 1:
        raise CommandError(
            "A batch uses consecutive seeds: give the first as --seed and their number as --samples."
        )
    return rollout_batches.start_rollout_batch(
        environments=rollout_batches.environments_for(names=options["environment"], state=options["state"]),
        agents=agents,
        samples=1 if options["samples"] is None else options["samples"],
        first_seed=seeds[0],
        tasks=rollout_batches.TaskFilter(names=tuple(options["task"])),
        play=play,
        budget_tokens=options["budget_tokens"],
        budget_cost=options["budget_cost"],
    )


def _message(error: ValidationError) -> str:
    """What is wrong with the options, named as they are typed."""
    wrong = ((".".join(map(str, each["loc"])).replace("_", "-"), each["msg"]) for each in error.errors())
    return " ".join(f"--{option}: {message}." for option, message in wrong)
