"""Redaction: the endpoint's key never appears in a text that leaves this package."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

MARK = "[key]"

# What endpoints echo back: a key by its usual prefix, masked in the middle or not, and bearer tokens.
_LOOKS_LIKE_A_KEY = re.compile(r"\bsk-[A-Za-z0-9_*\-.]{6,}|(?<=Bearer )[^\s\"']{6,}")

SHORTEST_SECRET = 6
"""A shorter word is a placeholder ("none", "test") and may stand in ordinary text."""


def redact(text: str, *secrets: str) -> str:
    """The text without these secrets and without anything that looks like an API key."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, MARK)
    return _LOOKS_LIKE_A_KEY.sub(MARK, text)


def without_secret(text: str, secret: str) -> str:
    """The text without exactly this secret; for replies, whose other words are the model's own."""
    return text.replace(secret, MARK) if len(secret) >= SHORTEST_SECRET else text


def shown_url(url: str) -> str:
    """A URL as it may be shown: without user, password, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
