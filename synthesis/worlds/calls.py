"""Calls: what a caller gives, and whether it can go over the wire to a worker."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from synthesis.documents.tools import ToolCall

Call = tuple[str, Mapping[str, JsonValue]]


def pairs_of(calls: Iterable[ToolCall | Call]) -> list[Call]:
    """Calls as names and arguments."""
    return [(call.name, call.arguments) if isinstance(call, ToolCall) else call for call in calls]


def are_well_formed(calls: Iterable[Call]) -> bool:
    """Whether all of them can go over the wire."""
    return all(is_well_formed(*call) for call in calls)


def is_well_formed(name: object, arguments: object) -> bool:
    """Whether a call is a name and an object of arguments that JSON can express."""
    try:
        return isinstance(name, str) and isinstance(arguments, dict) and _is_finite(arguments)
    except RecursionError:
        return False


def _is_finite(value: object) -> bool:
    """Whether JSON has a word for every number in a value; on the wire others would become null."""
    if isinstance(value, str | int) or value is None:
        return True
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return not isinstance(value, list | tuple) or all(map(_is_finite, value))
