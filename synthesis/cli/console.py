"""Console: where commands print; tables for people, one JSON value for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import orjson
from rich.console import Console
from rich.markup import escape
from rich.table import Table

PASSED = "[green]✓[/]"
FAILED = "[red]✗[/]"
_PIPED_WIDTH = 200


def console() -> Console:
    """Standard output as it is now (tests replace it)."""
    width = None if sys.stdout.isatty() else _PIPED_WIDTH
    return Console(highlight=False, soft_wrap=True, width=width)


def print_json(value: Any) -> None:
    """One JSON object or list on one line, the last thing a command prints."""
    sys.stdout.write(orjson.dumps(value).decode() + "\n")
    sys.stdout.flush()


def complain(message: str) -> None:
    """One line on standard error."""
    sys.stderr.write(f"worldwright: {message}\n")


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Table:
    """A table whose last column wraps; our own marks keep their colour, everything else is shown as it is."""
    made = Table(title=escape(title), title_justify="left", header_style="bold", box=None, pad_edge=False)
    *names, text = columns
    for name in names:
        made.add_column(name, no_wrap=True)
    made.add_column(text, overflow="fold")
    for row in rows:
        made.add_row(*(_cell(value) for value in row))
    return made


def mark(passed: bool) -> str:
    """A green tick or a red cross."""
    return PASSED if passed else FAILED


def _cell(value: object) -> str:
    text = str(value)
    return text if text in (PASSED, FAILED) else escape(text)
