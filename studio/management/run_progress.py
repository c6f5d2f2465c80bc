"""Run progress: following a run on the terminal while a worker executes it."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.core.management.base import CommandError
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from studio.models import Run, RunEvent, RunState

POLL_SECONDS = 0.1

SHOWN = frozenset(
    {
        "part_stored",
        "part_reused",
        "part_sent_back",
        "checks_done",
        "reaped",
        "cancel_requested",
    }
)
"""Events that get a line of their own; attempts only when something was wrong with them. What a stage failed
with is the cause that ends the run."""


def follow(run: Run, *, console: Console, alive: Callable[[], None]) -> Run:
    """Show a run's events as they come, until it is over.

    Args:
        run: The run.
        console: Where to.
        alive: Raises when no worker is left to wait for.

    Raises:
        CommandError: The run failed or was cancelled; the text is its cause.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    last = 0
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Waiting for the worker", total=None)
        while True:
            now = Run.objects.get(pk=run.pk)
            for event in RunEvent.objects.filter(run=run, id__gt=last):
                last = event.pk
                _show(event, console)
            words = now.stage.replace("_", " ").capitalize() or now.get_state_display()
            bar.update(task, description=escape(words), completed=now.done, total=now.total or None)
            if now.is_over:
                break
            _require_moving(now)
            alive()
            time.sleep(POLL_SECONDS)
    if now.state != RunState.FINISHED:
        raise CommandError(_cause(now))
    return now


def _require_moving(run: Run) -> None:
    """Pass unless the run waits for somebody to resume it, for example because a budget is spent.

    Raises:
        CommandError: It does; the text says why and how to go on.
    """
    if run.paused_at is None or run.state != RunState.QUEUED:
        return
    last = run.events.filter(kind__in=("budget_spent", "paused")).order_by("-id").first()
    why = last.text if last is not None else "It is paused."
    raise CommandError(f"Run {run.pk} is paused. {why} Resume it at {run.get_absolute_url()}")


def _show(event: RunEvent, console: Console) -> None:
    wrong = event.kind == "attempt_ended" and not event.payload["passed"]
    if event.kind not in SHOWN and not wrong:
        return
    mark = "[red]✗[/]" if wrong or event.kind == "part_sent_back" else "[green]✓[/]"
    stage = event.stage.replace("_", " ")
    console.print(f"  {mark} {escape(stage):<12} {escape(event.text)}", highlight=False)


def _cause(run: Run) -> str:
    if run.state == RunState.CANCELLED:
        return f"Run {run.pk} was cancelled."
    where = f" at {run.error_stage.replace('_', ' ')}" if run.error_stage else ""
    attempts = run.attempts.count()
    remaining = (
        f" Its attempts, {attempts} in all, are at {run.get_absolute_url()} in the studio."
        if attempts
        else ""
    )
    by_model = run.error_type == "AttemptsExhausted" and run.attempts.exclude(model="").exists()
    remedy = " Another model (--models, WORLDWRIGHT_MODEL) or other words may do better." if by_model else ""
    return f"Run {run.pk} failed{where} ({run.error_type}): {run.error}{remaining}{remedy}"
