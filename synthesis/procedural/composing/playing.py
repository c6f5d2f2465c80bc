"""Playing: what composing tasks needs of a live instance, and how it gives up."""

from __future__ import annotations

from typing import Any, Protocol

from pydantic import JsonValue

from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tools import ToolResult


class Abandoned(Exception):
    """This way of composing a task led nowhere; another one is tried."""


class CallRefused(Abandoned):
    """A tool refused the call.

    Args:
        message: What it said.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Playable(Protocol):
    """What is needed of an instance; `synthesis.worlds.world.Instance` is one."""

    def call(self, name: str, arguments: dict[str, JsonValue] | None = None) -> ToolResult:
        """Call one tool."""
        ...

    def query(self, sql: str, *params: Any, limit: int = 1_000) -> list[dict[str, Any]]:
        """Look into the database."""
        ...

    def reset(self, seed: int | None = None) -> None:
        """Begin again."""
        ...

    def diff(self) -> StateDiff:
        """What was changed since the beginning."""
        ...
