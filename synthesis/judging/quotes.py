"""Quotes: what a judge says stands in the evidence must stand there."""

from __future__ import annotations

import re
from collections.abc import Iterable

SHORTEST = 12
"""Characters of a text between quotation marks that counts as a quote; shorter ones are names and words."""

_BETWEEN_MARKS = re.compile(rf"[\"\u201c]([^\"\u201c\u201d]{{{SHORTEST},400}})[\"\u201d]")
_ELLIPSIS = re.compile(r"\.\.\.|\u2026")


def quotes_in(text: str) -> list[str]:
    """The longer texts between quotation marks."""
    return _BETWEEN_MARKS.findall(text)


def missing_quotes(quotes: Iterable[str], evidence: str) -> list[str]:
    """The quotes that are not in the evidence; blanks, case and punctuation at the ends do not count.

    Args:
        quotes: As the judge wrote them; one with "..." is looked for piece by piece.
        evidence: JSON, as the judge was shown it.
    """
    known = _plain(evidence)
    return [
        quote
        for quote in quotes
        if not all(_plain(piece) in known for piece in _ELLIPSIS.split(quote) if piece.strip())
    ]


def _plain(text: str) -> str:
    """Without escapes, which a judge may or may not repeat, in lower case, with single blanks."""
    unescaped = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    unescaped = unescaped.replace("\\n", " ").replace('\\"', '"').replace("\\\\", "\\")
    words = re.sub(r"[\"'\u2018\u2019\u201c\u201d]", "", unescaped)
    return " ".join(re.sub(r"\s*([:,])\s*", r"\1", words).split()).strip(" .,;:!?").lower()
