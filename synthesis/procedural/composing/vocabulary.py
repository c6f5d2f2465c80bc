"""Vocabulary: invented names and value lists that any world may draw from."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources


@cache
def vocabulary() -> dict[str, tuple[str, ...]]:
    """Words by list name."""
    text = (resources.files(__package__) / "words.toml").read_text(encoding="utf-8")
    return {name: tuple(values) for name, values in tomllib.loads(text).items()}
