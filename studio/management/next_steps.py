"""Next steps: what a finished run or batch made, and the commands that come after it."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from studio.models import EnvironmentRecord, Run

MOST_NAMED = 10
"""Environments of a batch that are named; their pages list all."""


def show_created(console: Console, run: Run) -> None:
    """Name the environment a run made, its size, and how to review, try and export it."""
    assert run.result is not None
    name = str(run.result["environment"])
    record = EnvironmentRecord.objects.select_related("current").get(name=name)
    revision = record.revisions.get(number=run.result["revision"])
    sizes = ", ".join(f"{getattr(revision, part):,} {part}" for part in ("tables", "rows", "tools", "tasks"))
    console.print(
        f"Created {name}, revision {revision.number}: {escape(record.title)}. {sizes}.", highlight=False
    )
    _show_commands(console, name, record.get_absolute_url())


def show_created_in_batch(console: Console, batch: Run) -> None:
    """Name the environments a batch made, and what to do with one of them."""
    names = [
        str(child.result["environment"])
        for child in batch.children.exclude(result=None).only("result").order_by("pk")
        if child.result is not None and "environment" in child.result
    ]
    if not names:
        return
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    console.print(f"Created {', '.join(names[:MOST_NAMED])}{more}.", highlight=False, soft_wrap=True)
    _show_commands(console, names[0], batch.get_absolute_url())


def _show_commands(console: Console, name: str, page: str) -> None:
    steps = (
        ("manage.py serve", f"the studio; review it there at {page}"),
        (f"manage.py rollout {name} --agent reference", "run agents in it"),
        (f"manage.py export_bundle {name}", "write the bundle that others serve and train on"),
    )
    width = max(len(command) for command, _ in steps)
    for command, meaning in steps:
        console.print(f"  {command:<{width}}   {meaning}", highlight=False, soft_wrap=True)
