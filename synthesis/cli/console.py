"""Console: where commands print; tables for people, one JSON value for programs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any

import orjson
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table

from synthesis.worlds.sandbox.printable import printable

PASSED = "[green]✓[/]"
FAILED = "[red]✗[/]"
_PIPED_WIDTH = 200
_BEYOND_ASCII_CONTROLS = re.compile("[\x7f-\x9f]")
"""JSON need not escape them, and some terminals take them for commands."""


def console() -> Console:
    """Standard output as it is now (tests replace it)."""
    width = None if sys.stdout.isatty() else _PIPED_WIDTH
    return escaping(Console(highlight=False, soft_wrap=True, width=width))


def escaping(result: Console) -> Console:
    """A console that writes control characters in texts as escapes."""
    result.push_render_hook(_Escaping())
    return result


class _Escaping(RenderHook):
    """Texts of bundles and of generated code never steer the terminal; styles of our own still do."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Each with what its texts hold escaped."""
        return [_Escaped(each) for each in renderables]


class _Escaped:
    """Something to print whose texts are escaped."""

    def __init__(self, inner: ConsoleRenderable) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Its segments."""
        return map(_escaped, console.render(self._inner, options))


def _escaped(segment: Segment) -> Segment:
    return segment if segment.control else Segment(printable(segment.text), segment.style)


def print_json(value: Any) -> None:
    """One JSON object or list on one line, the last thing a command prints."""
    sys.stdout.write(_BEYOND_ASCII_CONTROLS.sub(_as_json_escape, orjson.dumps(value).decode()) + "\n")
    sys.stdout.flush()


def complain(message: str) -> None:
    """One line on standard error."""
    sys.stderr.write(f"worldwright: {printable(message)}\n")


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Table:
    """A table whose last column wraps; our own marks keep their colour, everything else is shown as it is."""
    result = Table(title=escape(title), title_justify="left", header_style="bold", box=None, pad_edge=False)
    *names, text = columns
    for name in names:
        result.add_column(name, no_wrap=True)
    result.add_column(text, overflow="fold")
    for row in rows:
        result.add_row(*(_cell(value) for value in row))
    return result


def _as_json_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def mark(passed: bool) -> str:
    """A green tick or a red cross."""
    return PASSED if passed else FAILED


def _cell(value: object) -> str:
    text = str(value)
    return text if text in (PASSED, FAILED) else escape(text)
