"""Words: stems, spelling variants and synonyms, so that two wordings of one thing have equal keys."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from synthesis.reading.lexicon import (
    IRREGULAR,
    SPELLINGS,
    STOP_WORDS,
    SYNONYMS,
)

LONGEST_TEXT = 20_000
"""Characters of an answer that are read: nobody needs more, and reading is not free."""
_STEM = 6
_SHORT = 40
"""Characters of a text whose words are remembered."""
_ATOM = re.compile(r"[^\W_]{1,200}")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_ARROW = re.compile(r"[-=]{1,3}>")
_FIRST_NINE = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TENS = (
    "tenth",
    "eleventh",
    "twelfth",
    *(f"{word}teenth" for word in ("thir", "four", "fif", "six", "seven")),
)
_ORDINALS = (
    *(*_FIRST_NINE, *_TENS, "eighteenth", "nineteenth", "twentieth"),
    *(f"twenty-{word}" for word in _FIRST_NINE),
    *("thirtieth", "thirty-first"),
)
_DAY_IN_WORDS = re.compile(
    rf"\b(?:{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
    r"(?= of (?:january|february|march|april|may|june|july|august|september|october|november|december)\b)",
    re.IGNORECASE,
)
"""Days of a month in words: "the ninth of October"."""
_PLAIN = str.maketrans(
    {
        "\u2019": "'",
        "\u2018": "'",
        "\u02bc": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u00ab": '"',
        "\u00bb": '"',
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2212": "-",
        "\u2014": " - ",
        "\u2022": "*",
        "\u00a0": " ",
        "\u202f": " ",
        "\u2009": " ",
        "\t": " ",
        "\r": "\n",
        "\x0b": "\n",
        "\x0c": "\n",
        "\u2028": "\n",
        "\u2029": "\n",
    }
)


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(text.split())


def plain(text: str) -> str:
    """Straight quotes and hyphens, no accents; case and line breaks stay."""
    if "\\u" in text:
        text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    if " of " in text:
        text = _DAY_IN_WORDS.sub(lambda match: f"{_ORDINALS.index(match[0].lower()) + 1}th", text)
    text = _ARROW.sub(" \u2192 ", text.translate(_PLAIN)) if ">" in text else text.translate(_PLAIN)
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text[:LONGEST_TEXT])
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))[: 2 * LONGEST_TEXT]


def atoms(text: str) -> tuple[str, ...]:
    """The runs of letters and digits of a text, in lower case and one spelling."""
    return _short_atoms(text) if len(text) <= _SHORT else _atoms(text)


def _atoms(text: str) -> tuple[str, ...]:
    return tuple(_spelled(atom) for atom in _ATOM.findall(plain(text).casefold()))


_short_atoms = lru_cache(maxsize=8_192)(_atoms)
"""The same: names, codes and states of rows are read again with every episode of their world."""


@lru_cache(maxsize=8_192)
def _spelled(word: str) -> str:
    return SPELLINGS.get(word, word)


def spelled(word: str) -> str:
    """A word in the one spelling that is compared."""
    return SPELLINGS.get(word, word) if len(word) < 40 else word


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """What the forms of a word have in common; not a word itself."""
    word = word[:40].removesuffix("'s").removesuffix("'")
    word = SPELLINGS.get(word, word)
    word = IRREGULAR.get(word, word)
    word = _SHORT_PLURALS.get(word, word)
    if len(word) > 4:
        for ending, instead in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)] + instead
                break
    elif len(word) == 4 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lse":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 4 and word.endswith("ll"):
        word = word[:-1]
    return word[:_STEM]


_SHORT_PLURALS = {"ups": "up", "ins": "in"}
"""Last words of sign-ups and check-ins, too short for their ending to be told from a word's own."""

_ENDINGS = (
    ("ications", "y"),
    ("ication", "y"),
    ("ations", ""),
    ("ation", ""),
    ("ments", ""),
    ("ment", ""),
    ("ions", ""),
    ("ion", ""),
    ("ings", ""),
    ("ing", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ers", "er"),
    ("ed", ""),
    ("ly", ""),
    ("es", ""),
    ("s", ""),
)


def _groups() -> dict[str, str]:
    groups: dict[str, str] = {}
    for line in SYNONYMS:
        words = line.split()
        for word in words:
            groups.setdefault(stem(word), stem(words[0]))
    return groups


GROUPS = _groups()


@lru_cache(maxsize=16_384)
def key(word: str) -> str:
    """A word's stem, or that of the first of its synonyms."""
    one = stem(word)
    return GROUPS.get(one, one)


@lru_cache(maxsize=4_096)
def keys(text: str) -> frozenset[str]:
    """The keys of the words of a text that carry a meaning."""
    return frozenset(key(word) for word in atoms(text[:4_000]) if word not in STOP_WORDS and len(word) < 40)
