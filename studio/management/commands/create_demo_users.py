"""`manage.py create_demo_users`: people to try the studio with."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from studio.services.accounts import create_demo_users


class Command(BaseCommand):
    help = "Make demonstration people of every role and print their sign-ins; passwords are new each time."

    def handle(self, *_: Any, **__: Any) -> None:
        for sign_in in create_demo_users():
            self.stdout.write(f"{sign_in.username:<8} {sign_in.password:<20} {sign_in.role.label}")
