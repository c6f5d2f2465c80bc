"""`manage.py retention`: delete what is past its time, or say what that would be."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from studio.management.refusal import refusal
from studio.services.errors import ServiceError
from studio.services.operations import retention


class Command(BaseCommand):
    help = "Delete what is older than WORLDWRIGHT_NOTIFICATION_DAYS and WORLDWRIGHT_EXPORT_DAYS allow."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            counts = retention.planned() if options["dry_run"] else retention.apply()
        except ServiceError as error:
            raise refusal(error) from error
        what = "would be deleted" if options["dry_run"] else "deleted"
        for each in counts:
            if not each.days:
                self.stdout.write(f"{each.title}: kept for ever")
            elif each.count is None:
                self.stdout.write(f"{each.title}: unknown, the storage of archives cannot be used now")
            else:
                self.stdout.write(f"{each.title}: {each.count:,} older than {each.days} days {what}")
