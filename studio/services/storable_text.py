"""Text that the database can hold: PostgreSQL keeps neither NUL nor half a surrogate pair."""

from __future__ import annotations

import json
import re
from typing import Any

_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""Escapes of JSON that stand for such a character, or are written like one."""

_REASON = "It contains {what}, which cannot be stored. Remove it."


class UnstorableText(ValueError):
    """A text holds a character that the database cannot keep."""


def require_storable(text: str) -> None:
    """Pass only text that can be stored.

    Raises:
        UnstorableText: It cannot be.
    """
    if "\0" in text:
        raise UnstorableText(_REASON.format(what="the character NUL (U+0000)"))
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UnstorableText(_REASON.format(what="half a surrogate pair")) from None


def require_storable_json(text: str) -> None:
    """Pass only JSON whose names and texts can be stored; other text passes.

    Raises:
        UnstorableText: One cannot be.
    """
    if not _SUSPECT.search(text):
        return
    try:
        require_storable_value(json.loads(text))
    except (json.JSONDecodeError, RecursionError):
        return


def require_storable_value(value: Any) -> None:
    """Pass only a JSON value whose names and texts can be stored.

    Raises:
        UnstorableText: One cannot be.
    """
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            require_storable(part)
        elif isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list):
            waiting += part
