"""Commands with the option `--project`: what they read and make is of one project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from studio.models import Project
from studio.models.projects import DEFAULT_SLUG
from studio.models.visibility import Visibility, limited


class ProjectCommand(BaseCommand):
    """Runs within the project of `--project`, or within the default one where there are others."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """With the option, after those of the command."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        text = "short name of the project; the default one if not given"
        parser.add_argument("--project", default="", metavar="NAME", help=text)
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Do what the command does."""
        with _inside(str(options.get("project") or "")):
            return super().execute(*args, **options)


@contextmanager
def _inside(slug: str) -> Iterator[None]:
    """Limit the block to a project.

    Raises:
        CommandError: There is none of that name, or it is archived.
    """
    if not slug and not Project.objects.exclude(slug=DEFAULT_SLUG).exists():
        yield
        return
    project = Project.objects.filter(slug=slug or DEFAULT_SLUG).first()
    if project is None:
        known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no project {slug!r}. Known: {known}.")
    if project.archived_at is not None:
        raise CommandError(f"The project {project.slug} is archived. Take it into use again on its page.")
    with limited(lambda: Visibility.only(project.pk)):
        yield
