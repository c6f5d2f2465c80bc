"""Whole numbers of the interface: all lie within 64 bits, whatever an operation does with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from ninja.errors import HttpError
from pydantic import BaseModel

SMALLEST, LARGEST = -(2**63), 2**63 - 1


def within_64_bits(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Let an operation begin only with numbers that databases and files can hold."""

    @wraps(operation)
    def guarded(request: HttpRequest, **values: Any) -> Any:
        for name, value in values.items():
            if place := _beyond(name, value):
                raise HttpError(422, f"{place}: the number does not fit into 64 bits.")
        return operation(request, **values)

    return guarded


def _beyond(name: str, value: Any) -> str:
    """Where a value holds a number that is too large; empty when it holds none."""
    waiting: list[tuple[str, Any]] = [(name, value)]
    while waiting:
        place, part = waiting.pop()
        if isinstance(part, int) and not SMALLEST <= part <= LARGEST:
            return place
        if isinstance(part, BaseModel):
            waiting += [(f"{place}.{field}", each) for field, each in part]
        elif isinstance(part, dict):
            waiting += [(f"{place}.{key}", each) for key, each in part.items()]
        elif isinstance(part, list | tuple):
            waiting += [(f"{place}.{number}", each) for number, each in enumerate(part)]
    return ""
