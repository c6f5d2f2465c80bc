"""Patterns: what each kind of process needs, read from patterns.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from synthesis.documents.document import Document
from synthesis.procedural.business.model import Shape

ACTS: dict[Shape, tuple[str, ...]] = {
    "hold": ("create", "start", "finish", "extend", "move", "cancel", "fail"),
    "slot": ("create", "start", "finish", "move", "cancel", "fail"),
    "seat": ("create", "admit", "withdraw", "move", "attend"),
    "supply": ("create", "fulfil", "cancel", "return", "resize"),
    "work": ("create", "assign", "close", "cancel", "postpone", "reprice"),
}
"""Meanings of a shape's actions, in the order of a pattern's `acts`."""


class Pattern(Document):
    """A process pattern."""

    shape: Shape
    record: str
    party: str
    subject: str
    states: tuple[str, ...]
    acts: tuple[str, ...]
    results: tuple[str, ...] = ()
    amount: str = ""
    unbilled: tuple[str, ...] = ()
    limited: bool = False
    worker: str = ""
    skilled: bool = False
    item: str = ""
    late: str = "late return"
    companion: tuple[str, str] | None = None

    def meanings(self) -> dict[str, str]:
        """Words of the actions by meaning."""
        return dict(zip(ACTS[self.shape], self.acts, strict=True))


@cache
def patterns() -> dict[str, Pattern]:
    """Every pattern by name."""
    text = (resources.files(__package__) / "patterns.toml").read_text(encoding="utf-8")
    return {name: Pattern.model_validate(content) for name, content in tomllib.loads(text).items()}
