"""`manage.py export_trajectories`: trajectories of many environments as training data."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any, get_args

from django.core.management.base import CommandError

from studio.forms.trajectory_exports import export_settings
from studio.jobs import execute_run
from studio.management.project_command import ProjectCommand
from studio.management.refusal import refusal
from studio.models import EnvironmentState, RunState
from studio.services.errors import ServiceError
from studio.services.exports import stored_archives, trajectory_exports
from studio.services.exports.trajectory_export_plan import ExportPlan, plan
from studio.services.rollouts.trajectory_selection import TrajectorySelection
from synthesis.bundles.trajectory_archive import FORMATS
from synthesis.documents.tasks import Difficulty, TaskKind
from synthesis.documents.verdict import LABEL_TITLES
from synthesis.errors import WorldwrightError

_SEVERAL: dict[str, tuple[str, list[str] | None]] = {
    "label": ("verdict", list(LABEL_TITLES)),
    "state": ("the environment's state", list(EnvironmentState.values)),
    "kind": ("kind of task", list(get_args(TaskKind))),
    "difficulty": ("difficulty of the task", list(get_args(Difficulty))),
    "agent": ("the agent", None),
    "model": ("the model behind it", None),
    "category": ("the environment's category", None),
    "task-id": ("the task", None),
}


class Command(ProjectCommand):
    help = "Export trajectories of many environments, split by environment, with a data card."

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, (what, choices) in _SEVERAL.items():
            parser.add_argument(
                f"--{name}", action="append", choices=choices, help=f"{what}; may be given several times"
            )
        parser.add_argument("--environment", default="", help="name of one environment")
        parser.add_argument("--run", type=int, help="a run, or a batch with all its runs")
        parser.add_argument("--reward-min", type=float, help="least reward")
        parser.add_argument("--reward-max", type=float, help="highest reward")
        parser.add_argument(
            "--trainable", action="store_true", default=None, help="only trainable trajectories"
        )
        parser.add_argument("--format", default="chat_jsonl", choices=list(FORMATS))
        parser.add_argument(
            "--history", default="", help="history of training samples: full, window:3, tokens:16000"
        )
        parser.add_argument(
            "--without-reasoning",
            action="store_false",
            dest="reasoning",
            help="leave out what models thought, in chat lines and training samples",
        )
        parser.add_argument("--train", type=float, default=90, help="share of environments in percent")
        parser.add_argument("--validation", type=float, default=5, help="share of environments in percent")
        parser.add_argument("--test", type=float, default=5, help="share of environments in percent")
        parser.add_argument("--seed", type=int, default=0, help="seed for the splits")
        parser.add_argument(
            "--shares-only", action="store_false", dest="own", help="ignore splits that tasks name"
        )
        parser.add_argument("--older-revisions", action="store_true", help="include older revisions")
        parser.add_argument(
            "--waiver", default="", help="reason for including environments that are not approved"
        )
        parser.add_argument("--dry-run", action="store_true", help="only print what would be exported")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            selection, wanted = TrajectorySelection.of(options), export_settings(options)
            if options["dry_run"]:
                return self._tell(plan(selection, wanted), json_wanted=options["json"])
            run = trajectory_exports.start_export(selection=selection, wanted=wanted)
        except (WorldwrightError, ServiceError) as error:
            raise refusal(error) from error
        ended = execute_run(run.pk)
        ended = ended or type(run).objects.get(pk=run.pk)
        if ended.state == RunState.FAILED:
            raise CommandError(ended.error)
        if ended.result is None:
            self.stdout.write(f"A worker has taken run {run.pk}.")
            return None
        if options["json"]:
            self.stdout.write(json.dumps({"run": ended.pk, **ended.result}))
        else:
            self.stdout.write(
                f"{stored_archives.address(ended.result['path'])}\n{ended.result['fingerprint']}"
            )
            card = ended.result["card"]
            dealt = ", ".join(f"{split} {count:,}" for split, count in card["splits"].items())
            self.stderr.write(f"{card['trajectories']:,} trajectories: {dealt}.")
            self._report_left_out((each["why"], each["count"]) for each in card["left_out"])
        return None

    def _tell(self, export_plan: ExportPlan, *, json_wanted: bool) -> None:
        if json_wanted:
            self.stdout.write(json.dumps(export_plan.as_json()))
            return
        self.stdout.write(
            f"{export_plan.included:,} of {export_plan.matching:,} trajectories would be exported."
        )
        for split, (environments, count) in export_plan.splits().items():
            self.stdout.write(f"{split}: {count:,} of {environments:,} environments")
        for each in export_plan.environments:
            for split, count in each.assigned.moved.items():
                self.stdout.write(f"{each.name}: {count} tasks of {split} move to {each.assigned.split}")
        if not export_plan.matching:
            self.stderr.write("No trajectory matches.")
        self._report_left_out(export_plan.left_out)

    def _report_left_out(self, counted: Iterable[tuple[str, int]]) -> None:
        for why, count in counted:
            self.stderr.write(f"left out, {count:,}: {why}")
