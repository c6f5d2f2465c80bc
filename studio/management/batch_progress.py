"""Batch progress: following a batch on the terminal, and its figures at the end, as its page shows them."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from studio.models import Run
from studio.services.runs.batch_summary import BatchSummary, StageSummary, summarise
from studio.templatetags.texts import duration

POLL_SECONDS = 0.5
LINE_SECONDS = 5.0
"""Least time between two lines where there is no terminal."""


def follow_batch(batch: Run, *, console: Console, alive: Callable[[], None]) -> Run:
    """Show how far a batch is until it is over, or until all that is left of it is held back.

    On a terminal a bar is kept up to date; elsewhere plain lines tell what changed.

    Args:
        batch: The batch.
        console: Where to.
        alive: Raises when no worker is left to wait for.

    Returns:
        The batch as it is then.
    """
    columns = (
        TextColumn("Batch {task.fields[number]}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    message, printed_at = "", 0.0
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None, number=batch.pk)
        while True:
            now = Run.objects.get(pk=batch.pk)
            summary = summarise(now)
            line = _line(now, summary)
            bar.update(task, description=escape(line), completed=now.done, total=now.total or None)
            rests = now.is_over or is_held(now, summary)
            due = rests or time.monotonic() - printed_at >= LINE_SECONDS
            if not console.is_terminal and line != message and due:
                console.print(f"Batch {now.pk}: {now.done} of {now.total}, {line}", highlight=False)
                message, printed_at = line, time.monotonic()
            if rests:
                return now
            alive()
            time.sleep(POLL_SECONDS)


def is_held(batch: Run, summary: BatchSummary) -> bool:
    """Whether nothing of a batch moves any more until somebody resumes it."""
    states = summary.states
    if summary.total == 0:
        return batch.paused_at is not None and batch.state == "queued"
    if states["running"] or batch.is_over or not states["queued"]:
        return False
    return batch.paused_at is not None or summary.paused == states["queued"]


def show_summary(console: Console, batch: Run, summary: BatchSummary) -> None:
    """The batch's page as text: stages beside AWM's figures, spend, throughput, causes of failure."""
    table = Table(
        title=f"Batch {batch.pk} by stage; AWM's published figures in brackets",
        title_justify="left",
        box=SIMPLE_HEAD,
    )
    paid = ("Tokens", "Cost", "Per 100") if summary.calls else ()
    columns = ("Stage", "Passed", "Reached", "Attempts", "First attempt kept", *paid)
    for name in columns:
        table.add_column(name, justify="left" if name == "Stage" else "right", no_wrap=True)
    for stage in summary.taken_stages:
        table.add_row(*_row(stage)[: len(columns)])
    console.print(table)
    for line in _lines(summary):
        console.print(line, highlight=False, markup=False)


LONGEST_CAUSE = 400
"""Characters of a failure's own words that are shown."""


def _row(stage: StageSummary) -> list[str]:
    first = _beside(stage.first_attempts, stage.published_first_attempts, "{:.1%}")
    hundred = _beside(stage.cost_per_hundred, stage.published_per_hundred, "${:,.2f}")
    return [
        stage.stage.replace("_", " "),
        f"{stage.passed:,}",
        f"{stage.reached:,}",
        f"{stage.attempts:,}",
        first,
        f"{stage.tokens:,}",
        "" if stage.cost is None else f"${stage.cost:,.2f}",
        hundred,
    ]


def _beside(value: float | None, published: float | None, form: str) -> str:
    own = "" if value is None else form.format(value)
    return own if published is None else f"{own} ({form.format(published)})".strip()


def _lines(summary: BatchSummary) -> list[str]:
    states = ", ".join(f"{count:,} {state}" for state, count in summary.states.items() if count)
    held = f" ({summary.paused:,} paused)" if summary.paused else ""
    took = "" if summary.seconds is None else f" in {duration(summary.seconds)}"
    lines = [f"{states or 'no runs yet'}{held}{took}"]
    if summary.calls:
        lines.append(f"spent {_money(summary)}, {summary.tokens:,} tokens, {summary.calls:,} calls")
    if summary.cost_per_hundred is not None:
        published = f"AWM ${summary.published_per_hundred:,.2f}"
        lines.append(f"per 100 environments ${summary.cost_per_hundred:,.2f} ({published})")
    if summary.corrections is not None:
        lines.append(f"corrections {summary.corrections:.2f} (AWM {summary.published_corrections})")
    if summary.per_hour is not None:
        calls = (
            "" if summary.calls_per_minute is None else f", {summary.calls_per_minute:,.1f} calls a minute"
        )
        lines.append(f"{summary.per_hour:,.1f} environments per hour{calls}")
    lines += [
        f"{cause.count:,} x {cause.error} at {cause.stage.replace('_', ' ') or 'the start'}, "
        f"for example run {cause.run}: {cause.example[:LONGEST_CAUSE]}"
        for cause in summary.causes
    ]
    return lines


def _money(summary: BatchSummary) -> str:
    return "no known price" if summary.cost is None else f"${summary.cost:,.2f}"


def _line(batch: Run, summary: BatchSummary) -> str:
    if not summary.total:
        return "proposing scenarios" if batch.request["expand"] else "waiting for a worker"
    states = summary.states
    words = [f"{states['finished']:,} finished"]
    words += [f"{states['failed']:,} failed"] if states["failed"] else []
    words += [f"{states['running']:,} running"] if states["running"] else []
    words += [f"{summary.paused:,} paused"] if summary.paused else []
    words += [f"{_money(summary)}, {summary.tokens:,} tokens"] if summary.calls else []
    words += [f"{summary.per_hour:,.1f} an hour"] if summary.per_hour else []
    return ", ".join(words)
