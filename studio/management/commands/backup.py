"""`manage.py backup`: everything the studio stores, in one archive."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from studio.management.refusal import refusal
from studio.services.errors import ServiceError
from studio.services.operations.backups import write_backup
from synthesis.errors import InvalidInput


class Command(BaseCommand):
    help = "Write database and storage into one archive that any database can be restored from."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("archive", type=Path, help="file to write, for example backup.tar.gz")

    def handle(self, *_: Any, **options: Any) -> None:
        began = time.monotonic()
        try:
            summary = write_backup(options["archive"])
        except (InvalidInput, ServiceError) as error:
            raise refusal(error) from error
        self.stdout.write(
            f"{summary.rows:,} rows and {summary.files:,} files in {time.monotonic() - began:.1f} s\n"
            f"fingerprint {summary.fingerprint}"
        )
        self.stderr.write("Keys and secrets of the environment are not in it: store them elsewhere.")
