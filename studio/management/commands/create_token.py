"""`manage.py create_token`: let a program sign in as a person."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from studio.models import Scope
from studio.services.accounts.accounts import issue_token
from studio.services.errors import Missing
from studio.services.projects import membership
from synthesis.errors import InvalidInput

MOST_DAYS = 3_650


class Command(BaseCommand):
    help = "Create an API token; it is printed once and only its digest is stored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="the person the token acts for")
        parser.add_argument("--name", default="command line", help="what the token is for")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Scope.values,
            dest="scopes",
            help="what it may be used for; repeat for several (default: everything its person may)",
        )
        parser.add_argument("--project", help="short name of the only project that it opens")
        parser.add_argument(
            "--days", type=int, help="days after which it expires (default: WORLDWRIGHT_TOKEN_DAYS)"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active person named {options['username']!r}.")
        days = options["days"]
        if days is not None and not 1 <= days <= MOST_DAYS:
            raise CommandError(f"--days must be from 1 to {MOST_DAYS:,}, not {days}.")
        expires_at = None if days is None else timezone.now() + timedelta(days=days)
        try:
            slug = options["project"]
            record, token = issue_token(
                user=user,
                name=options["name"],
                expires_at=expires_at,
                scopes=options["scopes"],
                project=membership.find(user, slug) if slug else None,
            )
        except (InvalidInput, Missing) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(token)
        self.stderr.write(
            f"Token {record.hint}... of {user.username}; it expires on "
            f"{record.expires_at:%Y-%m-%d} and is not shown again."
        )
