"""`manage.py create_admin`: the first administrator of a studio, or a further one."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from studio.services.accounts.accounts import create_administrator
from synthesis.errors import InvalidInput


class Command(BaseCommand):
    help = "Create an administrator, who invites the others under /people/."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="name to sign in with")
        parser.add_argument("--email", default="", help="address of the person")
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="read the password from standard input; a random one is printed otherwise",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        password = sys.stdin.readline().rstrip("\n") if options["password_stdin"] else None
        try:
            sign_in = create_administrator(
                username=options["username"], password=password, email=options["email"]
            )
        except InvalidInput as error:
            raise CommandError(str(error)) from error
        if password is None:
            self.stdout.write(sign_in.password)
        self.stderr.write(f"{sign_in.username} is an administrator and signs in with this password.")
