"""JSON values: the objects, lists, numbers and texts of calls and results, whatever their nesting."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Leaf = str | int | float


def nodes(values: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Every value with the key that it stands under, in order, what it holds after it; items of a list stand
    under the list's key, the values themselves under ""."""
    waiting: list[tuple[str, Any]] = [("", value) for value in values][::-1]
    while waiting:
        name, value = waiting.pop()
        yield str(name), value
        if isinstance(value, dict):
            waiting += reversed(value.items())
        elif isinstance(value, list | tuple):
            waiting += [(name, each) for each in reversed(value)]


def objects(values: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    """The objects, those within others after them."""
    return (value for _, value in nodes(values) if isinstance(value, dict))


def lists_of_objects(values: Iterable[Any]) -> Iterator[Sequence[Mapping[str, Any]]]:
    """The objects of each list that has any."""
    for _, value in nodes(values):
        if isinstance(value, list | tuple) and (rows := [each for each in value if isinstance(each, dict)]):
            yield rows


def leaves(values: Iterable[Any]) -> Iterator[tuple[str, Leaf]]:
    """The texts and finite numbers with the keys that they stand under."""
    for name, value in nodes(values):
        if isinstance(value, str) or (is_number(value) and math.isfinite(value)):
            yield name, value


def numbers(values: Iterable[Any]) -> Iterator[tuple[str, int | float]]:
    """The finite numbers, likewise."""
    return ((name, value) for name, value in leaves(values) if not isinstance(value, str))


def texts(values: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """The texts, likewise."""
    return ((name, value) for name, value in leaves(values) if isinstance(value, str))


def is_number(value: Any) -> bool:
    """Whether a value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
