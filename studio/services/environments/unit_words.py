"""What the parts are called that approvals cover one by one."""

from __future__ import annotations

from typing import Protocol

from studio.services.environments.dictionaries import as_words
from studio.services.environments.trade_words import trade_word


class UnitNamer(Protocol):
    """Whoever knows what the tools and tasks of an environment are called."""

    def tool(self, name: str) -> str:
        """What a tool is called."""

    def task(self, task_id: str) -> str:
        """What a task is called."""


def unit_words(namer: UnitNamer, unit: str) -> str:
    """What a unit (schema, tool:..., task:...) is called by people who look at no code."""
    kind, _, name = unit.partition(":")
    if kind == "tool":
        return namer.tool(name)
    return namer.task(name) if kind == "task" else trade_word(as_words(kind))


def unit_in_text(namer: UnitNamer, unit: str) -> str:
    """The same inside of a sentence: "tool “Return item”", "tables"."""
    kind, _, name = unit.partition(":")
    words = unit_words(namer, unit)
    return f"{kind} “{words}”" if name else words.lower()
