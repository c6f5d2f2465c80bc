"""`manage.py import_bundle`: take in an environment that was made elsewhere."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from studio.management.project_command import ProjectCommand
from studio.services.exports.bundles import import_bundle
from synthesis.errors import WorldwrightError


class Command(ProjectCommand):
    help = "Import bundles: folders or zip archives in the native format."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("bundles", nargs="+", type=Path, help="folder or archive")

    def handle(self, *_: Any, **options: Any) -> None:
        for path in options["bundles"]:
            try:
                revision = import_bundle(path=path)
            except WorldwrightError as error:
                raise CommandError(str(error)) from error
            self.stdout.write(f"{revision.environment.name}, revision {revision.number}")
