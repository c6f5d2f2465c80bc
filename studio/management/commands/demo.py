"""`manage.py demo`: one environment from a sentence, all the way to the browser."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from rich.console import Console
from rich.markup import escape

from studio.management.demonstration.mcp_visit import visit
from studio.management.demonstration.summary import (
    DemonstrationSummary,
    checks_of,
    show_environment,
    show_verdicts,
)
from studio.management.refusal import refusal
from studio.management.run_progress import follow
from studio.management.supervised_worker import SupervisedWorker
from studio.management.web_server import address_of, bind, serve_web
from studio.management.worker_process import CeleryWorker
from studio.models import BundleRecord, EnvironmentRecord, Revision
from studio.services.accounts import accounts
from studio.services.environments.environments import load_environment
from studio.services.errors import ServiceError
from studio.services.exports import bundles, stored_archives
from studio.services.rollouts import rollouts
from studio.services.synthesis import synthesis
from studio.services.synthesis.authors import RECORDED
from synthesis.cli.console import escaping
from synthesis.errors import WorldwrightError

SENTENCE = (
    "A community bicycle workshop rents out bikes, sells parts, takes repair bookings and keeps the accounts "
    "of its members"
)
AGENTS = ("reference", "no-op", "random")
WAIVER = "Exported by the demo before anybody reviewed it."


class Command(BaseCommand):
    help = "Synthesise, prove, test with agents, export and serve one environment, then open the studio."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--scenario", help="the application in a sentence or up to a page")
        parser.add_argument(
            "--author",
            default="procedural",
            help="who writes the parts: procedural, model, or recorded (a model's run, replayed)",
        )
        parser.add_argument("--seed", type=int, default=1, help="seed of the procedural author")
        parser.add_argument("--no-serve", action="store_true", help="stop after the bundle")
        parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
        parser.add_argument("--host", default="127.0.0.1", help="address of the studio")
        parser.add_argument(
            "--port", type=int, default=8000, help="port of the studio; a free one if it is taken"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        console = escaping(Console(stderr=options["json"]))
        try:
            self._run(console, options)
        except (WorldwrightError, ServiceError) as error:
            raise refusal(error) from error

    def _run(self, console: Console, options: dict[str, Any]) -> None:
        started = time.perf_counter()
        sentence = options["scenario"]
        if sentence is None:
            sentence = "" if options["author"] == RECORDED else SENTENCE
        request = synthesis.new_request(
            sentence=sentence,
            author=options["author"],
            seed=options["seed"],
        )
        call_command("migrate", verbosity=0)
        with SupervisedWorker() as worker:
            revision = self._make(console, worker, request)
            verdicts = self._play(console, worker, revision)
            bundle = self._export(console, worker, revision)
            self._visit(console, bundle, revision)
            summary = DemonstrationSummary(
                environment=revision.environment.name,
                **{name: getattr(revision, name) for name in ("tables", "rows", "tools", "tasks")},
                code_lines=revision.code_lines,
                checks=checks_of(revision),
                verdicts=verdicts,
                bundle=stored_archives.address(bundle.path),
                fingerprint=revision.fingerprint,
                seconds=round(time.perf_counter() - started, 2),
            )
            if options["json"]:
                self.stdout.write(json.dumps(summary.as_json()))
                self.stdout.flush()
            if not options["no_serve"]:
                self._serve(console, options["host"], options["port"])

    def _make(self, console: Console, worker: CeleryWorker, request: Any) -> Revision:
        console.rule("Synthesis", align="left")
        console.print(f"“{escape(request.sentence)}”", highlight=False)
        run = synthesis.start_synthesis(request=request)
        ended = follow(run, console=console, alive=worker.require_alive)
        assert ended.result is not None
        revision = Revision.objects.select_related("environment").get(
            environment__name=ended.result["environment"], number=ended.result["revision"]
        )
        show_environment(console, revision, checks_of(revision))
        return revision

    def _play(self, console: Console, worker: CeleryWorker, revision: Revision) -> dict[str, dict[str, int]]:
        console.rule("Rollouts", align="left")
        record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
        run = rollouts.start_rollouts(record=record, agents=AGENTS)
        ended = follow(run, console=console, alive=worker.require_alive)
        assert ended.result is not None
        verdicts = {agent: ended.result["verdicts"].get(agent, {}) for agent in AGENTS}
        show_verdicts(console, verdicts)
        return verdicts

    def _export(self, console: Console, worker: CeleryWorker, revision: Revision) -> BundleRecord:
        console.rule("Bundle", align="left")
        record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
        run = bundles.start_export(record=record, waiver=WAIVER)
        ended = follow(run, console=console, alive=worker.require_alive)
        assert ended.result is not None
        bundle = BundleRecord.objects.get(pk=ended.result["bundle"])
        address = escape(stored_archives.address(bundle.path))
        console.print(f"{address} ({bundle.size:,} bytes)", highlight=False, soft_wrap=True)
        console.print(f"SHA-256 {bundle.fingerprint}", highlight=False)
        return bundle

    def _visit(self, console: Console, bundle: BundleRecord, revision: Revision) -> None:
        console.rule("A real MCP client", align="left")
        with stored_archives.draft_folder() as folder:
            seen = visit(stored_archives.fetch(bundle.path, folder), load_environment(revision))
        arguments = ", ".join(f"{name}={value!r}" for name, value in seen.call.arguments.items())
        console.print(f"{seen.address}: {seen.tools} tools", highlight=False)
        shown = seen.answer if len(seen.answer) <= 400 else f"{seen.answer[:400]} ..."
        console.print(f"{escape(seen.call.name)}({escape(arguments)}) → {escape(shown)}", highlight=False)

    def _serve(self, console: Console, host: str, port: int) -> None:
        console.rule("The studio", align="left")
        with bind(host, port, or_any=True) as listener:
            console.print(
                f"Open [bold]{address_of(listener, host)}[/] and sign in with one of these accounts:",
                highlight=False,
            )
            for sign_in in accounts.create_demo_users():
                console.print(
                    f"  {sign_in.username:<8} {sign_in.password:<20} {sign_in.role.label}", highlight=False
                )
            console.print("Press Ctrl-C to stop.")
            serve_web(listener)
