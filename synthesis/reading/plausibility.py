"""Plausibility: whether a text is language at all, and not random characters."""

from __future__ import annotations

import re
from unicodedata import category

from synthesis.reading.document import ParsedText
from synthesis.reading.words import keys

_VOWELS = frozenset("aeiouy")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}")
_LONGEST_SIGN = 20
"""Characters among which a pictograph ("\U0001f44d") is an answer."""
_SHARE = 0.6
_MOST_WORDS = 400


def is_gibberish(document: ParsedText, context: str) -> bool:
    """Whether a text that says something says it in no words: no letters, or letters at random.

    Args:
        document: The text; an empty one is no gibberish.
        context: What was asked; a text that shares a word with it is none.
    """
    if not document.text.strip():
        return False
    words = [token.text for token in document.tokens if token.kind == "word"][:_MOST_WORDS]
    if not any(sign.isalpha() for word in words for sign in word):
        return not any(category(sign) == "So" for sign in document.text[:_LONGEST_SIGN])
    foreign = [word for word in words if not word.isascii()]
    if len(foreign) * 2 >= len(words):
        return False
    if keys(context) & {token.key for token in document.tokens if token.kind == "word"}:
        return False
    likely = sum(_is_likely(word) for word in words)
    codes = sum(token.kind == "code" for token in document.tokens)
    return likely < _SHARE * (len(words) + codes)


def _is_likely(word: str) -> bool:
    if not word.isascii():
        return True
    if len(word) <= 2:
        return word in _SHORT
    vowels = sum(sign in _VOWELS for sign in word)
    return 0.15 * len(word) <= vowels <= 0.8 * len(word) and _CONSONANTS.search(word) is None


_SHORT = frozenset(
    [
        "a",
        "i",
        "am",
        "an",
        "as",
        "at",
        "be",
        "by",
        "do",
        "go",
        "he",
        "hi",
        "if",
        "in",
        "is",
        "it",
        "me",
        "my",
        "no",
        "of",
        "oh",
        "ok",
        "on",
        "or",
        "so",
        "to",
        "up",
        "us",
        "we",
        "'s",
        "ja",
        "si",
        "el",
        "la",
        "le",
        "un",
        "de",
    ]
)
