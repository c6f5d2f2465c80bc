"""`manage.py create_demo_users`: people to try the studio with."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from studio.services.accounts.accounts import create_demo_users


class Command(BaseCommand):
    help = "Create a demo account for every role and print their passwords, which are new each time."

    def handle(self, *_: Any, **__: Any) -> None:
        for sign_in in create_demo_users():
            self.stdout.write(f"{sign_in.username:<8} {sign_in.password:<20} {sign_in.role.label}")
