"""Language: whether a text that people and agents are to read is in English, as all of a world is."""

from __future__ import annotations

import re

from synthesis.errors import ReplyUnreadable

FEWEST_WORDS = 25
"""Shorter texts tell too little."""
LEAST_SHARE = 0.12
"""Of the words of English prose far more are among these; of other languages, hardly any."""

_WORD = re.compile(r"[^\W\d_]+")
_COMMON = re.compile(
    r"the|of|and|to|a|in|is|that|for|it|with|as|on|are|be|by|this|or|an|at|from|not|have|has|who|which|their|"
    r"they|can|may|must|only|when|if|its|one|each|no|all|any|was|will|than"
)


def require_english(what: str, text: str) -> None:
    """Pass when a text is English, or too short to tell.

    Args:
        what: What the text is, for the error: "The description".
        text: The text.

    Raises:
        ReplyUnreadable: It is in another language.
    """
    words = _WORD.findall(text.lower())
    common = sum(_COMMON.fullmatch(word) is not None for word in words)
    if len(words) >= FEWEST_WORDS and common < LEAST_SHARE * len(words):
        raise ReplyUnreadable(f"{what} is not in English: {text[:80]!r}. Write all texts in English.")
