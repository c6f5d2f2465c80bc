"""The one switch of a verifier that was prepared to be weakened.

Every place at which such a verifier can be made to demand less asks the switch, which is on at one place at a
time and says nothing at all the others. So a verifier is compiled once for all of its weakenings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

NAME = "_weakness_"
"""The name under which a prepared verifier finds the switch."""
NOWHERE = -1


class Weakness:
    """Where a verifier demands less than it should.

    Args:
        active: Number of the place; `NOWHERE` for none.
    """

    __slots__ = ("active",)

    def __init__(self, active: int = NOWHERE) -> None:
        self.active = active

    def on(self, place: int) -> bool:
        """Whether a condition is to hold whatever is the case."""
        return self.active == place

    def condition(self, place: int, value: Any) -> Any:  # noqa: ARG002 - a probe asks for it
        """What a condition came to where it was not made to hold."""
        return value

    def value(self, first: int, kinds: tuple[str, ...], value: Any) -> Any:
        """The value a cell is held against; from `first` on, one place for each kind of loosening."""
        number = self.active - first
        return LooseValue(kinds[number], value) if 0 <= number < len(kinds) else value

    def same(self, place: int, actual: Any, expected: Any) -> bool:
        """Equality; weakened, what is actual may hold more than what is expected."""
        if self.active != place:
            return bool(actual == expected)
        if isinstance(expected, dict) and isinstance(actual, dict):
            return all(column in actual and actual[column] == value for column, value in expected.items())
        if isinstance(expected, set) and isinstance(actual, set | frozenset):
            return actual >= expected
        return bool(actual == expected)

    def place(self, place: int, where: Any) -> Any:
        """A place at which rows may change; weakened, all of its table."""
        return where[:1] if self.active == place and isinstance(where, tuple) else where

    def places(self, place: int, several: Iterable[Any]) -> Iterable[Any]:
        """Places at which rows may change; weakened, all of their tables."""
        return [self.place(place, where) for where in several] if self.active == place else several

    def more(self, first: int, tables: tuple[str, ...]) -> tuple[tuple[str], ...]:
        """Nothing; weakened, one of the tables, in which any row may change."""
        number = self.active - first
        return ((tables[number],),) if 0 <= number < len(tables) else ()

    def some(self, place: int, compare: Callable[..., Any], rows: Any, values: dict[str, Any]) -> Any:
        """Whether exactly one row has some values; weakened, whether any of them has."""
        if self.active != place:
            return compare(rows, **values)
        return any(compare([row], **values) for row in list(rows))


class SensitivityProbe(Weakness):
    """A switch that is on nowhere and notes at which places being on would make a difference.

    A verifier runs the same way up to the first place at which the switch says something else. So where no
    difference is noted in a run, weakening the verifier there cannot change what that run says.
    """

    __slots__ = ("sensitive",)

    def __init__(self) -> None:
        super().__init__()
        self.sensitive: set[int] = set()

    def condition(self, place: int, value: Any) -> Any:
        """What a condition came to: one that holds anyway is not needed here."""
        if not value:
            self.sensitive.add(place)
        return value

    def value(self, first: int, kinds: tuple[str, ...], value: Any) -> Any:
        """The value itself, as far as generated code can tell."""
        if type(value) in (int, float, str):
            return _ProbedValue(self.sensitive, first, kinds, value)
        self.sensitive.update(range(first, first + len(kinds)))
        return value

    def same(self, place: int, actual: Any, expected: Any) -> bool:
        """Equality."""
        equal = bool(actual == expected)
        if Weakness(place).same(place, actual, expected) != equal:
            self.sensitive.add(place)
        return equal

    def place(self, place: int, where: Any) -> Any:
        """The place itself."""
        self.sensitive.add(place)
        return where

    def places(self, place: int, several: Iterable[Any]) -> Iterable[Any]:
        """The places themselves."""
        self.sensitive.add(place)
        return several

    def more(self, first: int, tables: tuple[str, ...]) -> tuple[tuple[str], ...]:
        """Nothing."""
        self.sensitive.update(range(first, first + len(tables)))
        return ()

    def some(self, place: int, compare: Callable[..., Any], rows: Any, values: dict[str, Any]) -> Any:
        """Whether exactly one row has some values."""
        self.sensitive.add(place)
        return compare(rows, **values)


class _ProbedValue:
    """Compares as the value it stands for; notes the loosenings that would have compared otherwise."""

    __slots__ = ("_first", "_kinds", "_sensitive", "_value")

    def __init__(self, sensitive: set[int], first: int, kinds: tuple[str, ...], value: Any) -> None:
        self._sensitive, self._first, self._kinds, self._value = sensitive, first, kinds, value

    def __eq__(self, other: object) -> bool:
        equal = bool(self._value == other)
        for place, kind in enumerate(self._kinds, self._first):
            try:
                differs = admits(kind, self._value, other) != equal
            except Exception:  # noqa: BLE001 - generated code may compare with anything
                differs = True
            if differs:
                self._sensitive.add(place)
        return equal

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        self._sensitive.update(range(self._first, self._first + len(self._kinds)))
        return hash(self._value)

    def __bool__(self) -> bool:
        self._sensitive.update(range(self._first, self._first + len(self._kinds)))
        return bool(self._value)

    def __repr__(self) -> str:
        return repr(self._value)

    __str__ = __repr__


class LooseValue:
    """Compares equal to more than the value it stands for."""

    __slots__ = ("_kind", "_value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, kind: str, value: Any) -> None:
        self._kind, self._value = kind, value

    def __eq__(self, other: object) -> bool:
        return admits(self._kind, self._value, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return repr(self._value)

    __str__ = __repr__


def admits(kind: str, value: Any, other: Any) -> bool:
    """Whether a comparison with `value` that was loosened in one way lets another value through."""
    if kind == "any" or value == other:
        return True
    if isinstance(value, str) != isinstance(other, str) or other is None or value is None:
        return False
    if kind == "at most":
        return bool(other <= value)
    if kind == "at least":
        return bool(other >= value)
    if kind == "contains":
        return str(value).lower() in str(other).lower()
    return str(other)[:10] == str(value)[:10]
