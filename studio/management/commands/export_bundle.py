"""`manage.py export_bundle`: an approved environment as an archive."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from studio.jobs import execute_run
from studio.management.refusal import refusal
from studio.models import RunState
from studio.services.environments import environments
from studio.services.errors import ServiceError
from studio.services.exports import bundles, stored_archives
from synthesis.errors import WorldwrightError


class Command(BaseCommand):
    help = "Export the current revision of an approved environment."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("environment", help="name of the environment")
        parser.add_argument("--codec", default="native", help="format")
        parser.add_argument("--waiver", default="", help="reason for exporting it without approval")
        parser.add_argument("--no-trajectories", action="store_true", help="leave out trajectories")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            run = bundles.start_export(
                record=environments.find(options["environment"]),
                codec=options["codec"],
                waiver=options["waiver"],
                with_trajectories=not options["no_trajectories"],
            )
        except (WorldwrightError, ServiceError) as error:
            raise refusal(error) from error
        ended = execute_run(run.pk)
        ended = ended or type(run).objects.get(pk=run.pk)
        if ended.state == RunState.FAILED:
            raise CommandError(ended.error)
        if ended.result is None:
            self.stdout.write(f"A worker has taken run {run.pk}.")
            return
        bundle = ended.bundles.get()
        self.stdout.write(f"{stored_archives.address(bundle.path)}\n{bundle.fingerprint}")
