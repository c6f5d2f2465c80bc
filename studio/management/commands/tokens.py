"""`manage.py tokens`: which programs may sign in, and until when."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from studio.models import ApiToken


class Command(BaseCommand):
    help = "List API tokens: number, person, first characters, name, state, scopes, expiry, last use."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", metavar="USERNAME", help="only tokens of this person")
        parser.add_argument("--json", action="store_true", help="one JSON object per line")

    def handle(self, *_: Any, **options: Any) -> None:
        api_tokens = ApiToken.objects.select_related("user")
        if options["user"]:
            api_tokens = api_tokens.filter(user__username=options["user"])
        for token in api_tokens:
            details = {
                "id": token.pk,
                "user": token.user.username,
                "hint": token.hint,
                "name": token.name,
                "state": token.state,
                "scopes": ",".join(token.scopes),
                "expires_at": token.expires_at and f"{token.expires_at:%Y-%m-%d %H:%M}",
                "used_at": token.used_at and f"{token.used_at:%Y-%m-%d %H:%M}",
            }
            self.stdout.write(
                json.dumps(details)
                if options["json"]
                else "  ".join(str(each or "never") for each in details.values())
            )
