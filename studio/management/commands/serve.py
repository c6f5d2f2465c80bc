"""`manage.py serve`: the studio with its worker on one machine."""

from __future__ import annotations

from argparse import ArgumentParser
from contextlib import ExitStack
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from studio.management.supervised_worker import SupervisedWorker
from studio.management.web_server import address_of, bind, serve_web


class Command(BaseCommand):
    help = "Serve the studio with its worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="port; 0 picks a free one")
        parser.add_argument(
            "--no-worker", action="store_true", help="leave runs to workers that run elsewhere"
        )
        parser.add_argument("--no-migrate", action="store_true", help="do not migrate the database")

    def handle(self, *_: Any, **options: Any) -> None:
        with bind(options["host"], options["port"]) as listener, ExitStack() as stack:
            if not options["no_migrate"]:
                call_command("migrate", verbosity=0)
            if not options["no_worker"]:
                stack.enter_context(SupervisedWorker())
            self.stdout.write(
                f"The studio listens on {address_of(listener, options['host'])}   (Ctrl-C stops)"
            )
            self.stdout.flush()
            serve_web(listener)
