"""Pronouns: "them" and "their" stand for the request's party only where nobody else was named since."""

from __future__ import annotations

import re
from collections.abc import Iterable

THEM = "‹them›"
"""The party where a pronoun may do; what it becomes is known once the whole request is put together."""
THEIR = "‹their›"


def spoken(text: str) -> str:
    """The text with every pronoun as it is, for an answer that names nobody else."""
    return text.replace(THEM, "them").replace(THEIR, "their")


def settled(text: str, own: str, others: Iterable[str]) -> str:
    """The request with the party's name wherever its pronoun would be taken for somebody else's.

    Args:
        text: The whole request, with `THEM` and `THEIR`.
        own: What the party is called.
        others: What everybody else is called.
    """
    names = sorted({own, *others}, key=len, reverse=True)
    somebody = "|".join(re.escape(name) for name in names)
    last = ""

    def worded(match: re.Match[str]) -> str:
        nonlocal last
        found = match[0]
        if found not in (THEM, THEIR):
            last = found
            return found
        if last == own:
            return spoken(found)
        last = own
        return possessive(own) if found == THEIR else own

    return re.sub(rf"{THEM}|{THEIR}|(?<!\w)(?:{somebody})(?!\w)", worded, text)


def possessive(phrase: str) -> str:
    """Whose: "their" for them, "Jane Smith's" for a name."""
    if phrase == THEM:
        return THEIR
    return f"{phrase}'" if phrase.endswith("s") else f"{phrase}'s"
