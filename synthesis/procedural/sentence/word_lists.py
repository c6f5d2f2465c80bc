"""Word lists, read from words.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources


def word_list(name: str) -> list[str]:
    """The words of one list, in order."""
    return _lists()[name].split()


@cache
def _lists() -> dict[str, str]:
    text = (resources.files(__package__) / "words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
