"""`manage.py revoke_token`: end a program's token."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from studio.services.accounts.accounts import end_token


class Command(BaseCommand):
    help = "Revoke API tokens immediately; `tokens` lists their numbers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ids", type=int, nargs="+", metavar="ID", help="number of a token")

    def handle(self, *_: Any, **options: Any) -> None:
        ended = {number: end_token(number) for number in options["ids"]}
        for number, done in ended.items():
            if done:
                self.stdout.write(f"revoked: {number}")
        if left := [str(number) for number, done in ended.items() if not done]:
            raise CommandError(f"No valid token has the number {', '.join(left)}; `tokens` lists them.")
