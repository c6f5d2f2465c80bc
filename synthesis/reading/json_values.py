"""JSON values: the objects, lists, numbers and texts of calls and results, whatever their nesting."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

Leaf = str | int | float


class JsonValues:
    """Values with all that they hold, whatever their nesting: walked once, in order.

    Args:
        values: As JSON has them.
    """

    def __init__(self, values: Iterable[Any]) -> None:
        self.objects: list[Mapping[str, Any]] = []
        """The objects, those within others after them."""
        self.lists_of_objects: list[Sequence[Mapping[str, Any]]] = []
        """The objects of each list that has any."""
        self.leaves: list[tuple[str, Leaf]] = []
        """The texts and finite numbers with the keys that they stand under: items of a list stand under the
        list's key, the values themselves under ""."""
        self._walk([("", value) for value in values][::-1])

    def _walk(self, waiting: list[tuple[str, Any]]) -> None:
        leaves = self.leaves
        while waiting:
            name, value = waiting.pop()
            kind = type(value)
            if kind is str or kind is int or (kind is float and math.isfinite(value)):
                leaves.append((name, value))
            elif kind is dict:
                self.objects.append(value)
                waiting += reversed(value.items())
            elif kind is list or kind is tuple:
                if rows := [each for each in value if type(each) is dict]:
                    self.lists_of_objects.append(rows)
                waiting += [(name, each) for each in reversed(value)]

    @cached_property
    def numbers(self) -> list[tuple[str, int | float]]:
        """The finite numbers, likewise."""
        return [(name, value) for name, value in self.leaves if not isinstance(value, str)]

    @cached_property
    def texts(self) -> list[tuple[str, str]]:
        """The texts, likewise."""
        return [(name, value) for name, value in self.leaves if isinstance(value, str)]


def is_number(value: Any) -> bool:
    """Whether a value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
