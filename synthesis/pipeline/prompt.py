"""Prompt: a Markdown file with `{{placeholders}}`, filled in one pass so that braces in values do no harm."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from synthesis.documents.document import digest

_FOLDER = Path(__file__).with_name("prompts")
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")


class Prompt:
    """One prompt.

    Args:
        text: Markdown in which `{{name}}` stands for a value.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def placeholders(self) -> frozenset[str]:
        """Names of the values it needs."""
        return frozenset(_PLACEHOLDER.findall(self._text))

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the text before it is filled: a changed prompt makes parts again."""
        return digest(self._text.encode())

    def filled(self, values: Mapping[str, str]) -> str:
        """The text with the values in their places; a value's own braces stay as they are.

        Raises:
            KeyError: A value is missing.
        """
        return _PLACEHOLDER.sub(lambda found: values[found[1]], self._text)


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt of a stage, from `prompts/<name>.md`."""
    return Prompt((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))
