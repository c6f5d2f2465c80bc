"""What the parts are called that approvals cover one by one."""

from __future__ import annotations

from studio.presentation.plain_language import PlainLanguage
from studio.services.environments.dictionaries import as_words
from studio.services.environments.trade_words import trade_word


def unit_words(plain: PlainLanguage, unit: str) -> str:
    """What a unit (schema, tool:..., task:...) is called by people who look at no code."""
    kind, _, name = unit.partition(":")
    if kind == "tool":
        return plain.tool(name)
    return plain.task(name) if kind == "task" else trade_word(as_words(kind))
