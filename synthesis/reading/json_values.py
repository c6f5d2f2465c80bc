"""JSON values: the objects, lists, numbers and texts of calls and results, whatever their nesting."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

from synthesis.reading.computed import cached_property

Leaf = str | int | float


class JsonValues:
    """Values with all that they hold, whatever their nesting: walked in order, once that is asked for.

    Args:
        values: As JSON has them.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    @property
    def objects(self) -> list[Mapping[str, Any]]:
        """The objects, those within others after them."""
        return self._walked[0]

    @property
    def lists_of_objects(self) -> list[Sequence[Mapping[str, Any]]]:
        """The objects of each list that has any."""
        return self._walked[1]

    @property
    def leaves(self) -> list[tuple[str, Leaf]]:
        """The texts and finite numbers with the keys that they stand under: items of a list stand under the
        list's key, the values themselves under ""."""
        return self._walked[2]

    @cached_property
    def _walked(
        self,
    ) -> tuple[list[Mapping[str, Any]], list[Sequence[Mapping[str, Any]]], list[tuple[str, Leaf]]]:
        objects: list[Mapping[str, Any]] = []
        lists: list[Sequence[Mapping[str, Any]]] = []
        leaves: list[tuple[str, Leaf]] = []
        around: list[Iterator[tuple[str, Any]]] = [zip(repeat(""), self._values, strict=False)]
        while around:
            for item in around[-1]:
                name, value = item
                kind = type(value)
                if kind is str or kind is int or (kind is float and math.isfinite(value)):
                    leaves.append(item)
                elif kind is dict:
                    objects.append(value)
                    around.append(iter(value.items()))
                    break
                elif kind is list or kind is tuple:
                    if rows := [each for each in value if type(each) is dict]:
                        lists.append(rows)
                    around.append(zip(repeat(name), value, strict=False))
                    break
            else:
                around.pop()
        return objects, lists, leaves

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
