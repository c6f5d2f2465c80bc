"""`manage.py ready`: whether a worker or web process could do its work here."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from studio.services.operations.readiness import unready


class Command(BaseCommand):
    help = "Check database, migrations, broker and storage; ends with 1 when something is wrong."
    requires_system_checks = ()

    def handle(self, *_: Any, **__: Any) -> None:
        if problems := unready():
            raise CommandError("; ".join(f"{part}: {problem}" for part, problem in problems.items()))
        self.stdout.write("ready")
