"""`manage.py reseal`: encrypt stored keys of endpoints under the present secret."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from studio.services.llm import endpoint_keys


class Command(BaseCommand):
    help = "Encrypt stored keys of endpoints under the present WORLDWRIGHT_SECRET_KEY, after it was replaced."

    def handle(self, *_: Any, **__: Any) -> None:
        outcome = endpoint_keys.reseal_all()
        self.stdout.write(
            f"{outcome.resealed:,} keys encrypted under the present secret, {outcome.current:,} were already."
        )
        if outcome.unreadable:
            names = ", ".join(
                f"{project} ({endpoint or 'the endpoint of OPENAI_BASE_URL'})"
                for project, endpoint in outcome.unreadable
            )
            raise CommandError(
                f"These cannot be read: {names}. Add the secret under which they were stored to "
                "WORLDWRIGHT_SECRET_KEY_FALLBACKS and run this again, or enter the keys again."
            )
