"""Texts that generated code wrote, made fit for terminals, logs and pages."""

from __future__ import annotations

import re

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
"""Control characters but tab and line feed, and those that turn the direction of writing."""


def printable(text: str) -> str:
    """The text with every character that steers a terminal or hides other characters written as an escape.

    Raises:
        TypeError: It is no text.
    """
    return _STEERING.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
