"""`manage.py restore`: fill a new studio from a backup."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from studio.management.refusal import refusal
from studio.services.errors import ServiceError
from studio.services.operations.backups import restore_backup
from synthesis.errors import InvalidInput


class Command(BaseCommand):
    help = "Fill an empty, migrated database and the storage from an archive of `backup`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("archive", type=Path, help="archive that `backup` wrote")

    def handle(self, *_: Any, **options: Any) -> None:
        began = time.monotonic()
        try:
            summary = restore_backup(options["archive"])
        except (InvalidInput, ServiceError) as error:
            raise refusal(error) from error
        self.stdout.write(
            f"{summary.rows:,} rows and {summary.files:,} files in {time.monotonic() - began:.1f} s\n"
            f"fingerprint {summary.fingerprint}"
        )
