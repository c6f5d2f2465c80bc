"""Variable: one setting of the process environment, how it is read and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Kind = Literal["text", "whole number", "number", "yes or no", "list", "address", "folder"]

TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class BadVariable(ValueError):
    """A variable has a value that cannot be used; the text names it and what is allowed."""


@dataclass(frozen=True, kw_only=True)
class Variable:
    """One variable of the process environment.

    Args:
        name: As it is written in the shell.
        kind: How the value is read.
        default: Value when it is not set or empty.
        meaning: One sentence for people.
        choices: The values allowed, when there are few.
        lowest: Smallest number allowed.
        highest: Largest number allowed.
        schemes: Address schemes allowed.
        secret: Whether the value must never be shown.
    """

    name: str
    kind: Kind
    default: Any
    meaning: str
    choices: tuple[str, ...] = ()
    lowest: float | None = None
    highest: float | None = None
    schemes: tuple[str, ...] = ()
    secret: bool = False

    def read(self, raw: str | None) -> Any:
        """The value that a raw string stands for.

        Raises:
            BadVariable: The string does not fit; the text names the variable and what is allowed.
        """
        if raw is None or not raw.strip():
            return self.default
        try:
            value = _READERS[self.kind](raw.strip())
        except ValueError as error:
            raise self._refusal(raw) from error
        if self._out_of_bounds(value):
            raise self._refusal(raw)
        return value

    @property
    def allowed(self) -> str:
        """What may be written, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.schemes:
            return "an address that begins with " + " or ".join(f"{scheme}://" for scheme in self.schemes)
        if self.kind == "yes or no":
            return "one of " + ", ".join((*TRUE, *FALSE))
        if self.kind == "list":
            return "names separated by commas"
        return f"a {self.kind}{self._bounds}"

    @property
    def _bounds(self) -> str:
        if self.lowest is None:
            return ""
        return (
            f" of {self.lowest:g} or more"
            if self.highest is None
            else f" from {self.lowest:g} to {self.highest:g}"
        )

    def _out_of_bounds(self, value: Any) -> bool:
        if self.choices and value not in self.choices:
            return True
        if self.schemes and value.split("://")[0] not in self.schemes:
            return True
        if self.highest is not None and not value <= self.highest:
            return True
        return self.lowest is not None and not value >= self.lowest

    def _refusal(self, raw: str) -> BadVariable:
        shown = "its value (not shown)" if self.secret else repr(raw)
        return BadVariable(f"{self.name}: {shown} cannot be used; set it to {self.allowed}, or unset it.")


def _yes_or_no(raw: str) -> bool:
    if raw.lower() in (*TRUE, *FALSE):
        return raw.lower() in TRUE
    raise ValueError(raw)


def _address(raw: str) -> str:
    if "://" not in raw:
        raise ValueError(raw)
    return raw


_READERS: dict[Kind, Callable[[str], Any]] = {
    "text": str,
    "whole number": int,
    "number": float,
    "yes or no": _yes_or_no,
    "list": lambda raw: [item.strip() for item in raw.split(",") if item.strip()],
    "address": _address,
    "folder": lambda raw: Path(raw).expanduser(),
}
