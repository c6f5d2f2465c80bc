"""Replaying calls, and telling where a replay went another way than the recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

from synthesis.documents.tools import ToolCall, ToolResult

if TYPE_CHECKING:
    from synthesis.worlds.world import Instance


def replay(instance: Instance, calls: Iterable[ToolCall]) -> list[ToolResult]:
    """Make the calls in order on an instance and return what each came to."""
    return [instance.call(call.name, call.arguments) for call in calls]


def differences(results: Sequence[ToolResult], observations: Sequence[JsonValue]) -> list[str]:
    """Where results differ from recorded observations, one sentence per call; empty when they agree."""
    texts = []
    if len(results) != len(observations):
        texts.append(f"{len(results)} calls were made, but {len(observations)} observations are recorded.")
    for number, (result, recorded) in enumerate(zip(results, observations, strict=False), start=1):
        if (observed := result.observation()) != recorded:
            texts.append(f"Call {number} answered {observed!r:.300}, recorded is {recorded!r:.300}.")
    return texts
