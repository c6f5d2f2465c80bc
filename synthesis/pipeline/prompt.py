"""Prompt: a Markdown file with `{{placeholders}}`, filled in one pass so that braces in values do no harm.

Endpoints cache the beginning that prompts have in common. So the parts that are there come first, in the
order in which they are made: a stage's prompt begins as that of the stage before, with one part more. What
differs from one request of a stage to the next comes last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from synthesis.documents.document import digest

_FOLDER = Path(__file__).with_name("prompts")
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")
_BLOCK = re.compile(r"<([a-z_]+)>\n\{\{([a-z_]+)\}\}\n</\1>")

CONTEXT = ("scenario", "outlines", "policy", "schema", "rows", "tools")
"""What prompts say of the world, in the order in which it is made."""
CHANGING = ("standing", "pieces")
"""What differs between the requests of one attempt."""


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
    def heading(self) -> str:
        """Its first heading, which no other prompt has; "" where it has none."""
        return next((line for line in self._text.splitlines() if line.startswith("# ")), "")

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the text before it is filled: a changed prompt makes parts again."""
        return digest(self._text.encode())

    def filled(self, values: Mapping[str, str]) -> str:
        """The text with the values in their places; a value's own braces stay as they are.

        Raises:
            KeyError: A value is missing.
        """
        return _PLACEHOLDER.sub(lambda match: values[match[1]], self._text)


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt of a stage, from `prompts/<name>.md`, in the order that endpoints can cache."""
    return Prompt(arranged((_FOLDER / f"{name}.md").read_text(encoding="utf-8")))


def compact(value: object) -> str:
    """A JSON value on one line, without blanks that only cost tokens."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def arranged(text: str) -> str:
    """A prompt with the blocks that describe the world first and those that change last.

    Args:
        text: With blocks of a tag around one placeholder; others stay where they are.
    """
    blocks = {match[2]: match[0] for match in _BLOCK.finditer(text)}
    first = [blocks[name] for name in CONTEXT if name in blocks]
    last = [blocks[name] for name in CHANGING if name in blocks]
    if not first and not last:
        return text

    def moved(match: re.Match[str]) -> str:
        if match[2] in CONTEXT:
            return ""
        return f"(in <{match[1]}>, at the end)" if match[2] in CHANGING else match[0]

    rest = re.sub(r"\n{3,}", "\n\n", _BLOCK.sub(moved, text)).strip()
    return "\n\n".join([*first, rest, *last]) + "\n"
