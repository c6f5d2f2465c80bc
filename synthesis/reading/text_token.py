"""Text token: one word, value, code or sign of a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["word", "value", "code", "sign", "line"]
Plain = int | float | str


@dataclass(slots=True)
class TextToken:
    """A word, a value, a code, a sign or a line's end."""

    kind: Kind
    text: str
    start: int
    end: int
    values: dict[str, frozenset[Plain]] = field(default_factory=dict)
    """By type of a fact, what the token may mean; usually one value."""
    unit: str = ""
    key: str = ""
    """Key of a word."""
    capital: bool = False
    """Whether it was written with a capital letter."""
