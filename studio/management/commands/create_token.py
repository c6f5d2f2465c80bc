"""`manage.py create_token`: let a program sign in as a person."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from studio.services.accounts import issue_token
from synthesis.errors import InvalidInput


class Command(BaseCommand):
    help = "Issue a token for a program; it is printed once and only its digest is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="whose program it is")
        parser.add_argument("--name", default="command line", help="what the token is for")

    def handle(self, *_: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active person named {options['username']!r}.")
        try:
            record, token = issue_token(user=user, name=options["name"])
        except InvalidInput as error:
            raise CommandError(str(error)) from error
        self.stdout.write(token)
        self.stderr.write(f"Token {record.hint}... of {user.username}; it is not shown again.")
