"""Matching: how near a sentence is to each of some descriptions, by weighted words (TF-IDF)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "for",
        "from",
        "has",
        "have",
        "in",
        "into",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "our",
        "that",
        "the",
        "their",
        "them",
        "they",
        "this",
        "to",
        "was",
        "we",
        "were",
        "which",
        "who",
        "will",
        "with",
        "you",
        "your",
        "all",
        "any",
        "can",
        "every",
        "not",
        "no",
        "one",
        "so",
        "such",
        "than",
        "then",
        "these",
        "those",
        "what",
        "when",
        "where",
        "while",
        "system",
        "application",
        "app",
        "platform",
        "service",
        "services",
        "office",
        "offices",
        "company",
        "companies",
        "business",
        "businesses",
        "small",
        "large",
        "new",
        "people",
        "users",
        "user",
        "online",
        "manage",
        "manages",
        "managing",
        "management",
        "run",
        "runs",
        "running",
    ]
)


def terms(text: str) -> list[str]:
    """The words of a text that carry meaning, as stems."""
    results = re.findall(r"[a-z0-9]+", text.lower())
    return [stem(word) for word in results if word not in STOP_WORDS and len(word) > 1]


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """A word without its commonest endings, so that lends, lending and lend are one."""
    for ending in ("ings", "ing", "ers", "er", "ies", "es", "ed", "s", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def likeness(sentence: str, descriptions: Mapping[str, str]) -> dict[str, float]:
    """Cosine of TF-IDF weights between a sentence and each description, from 0 to 1."""
    counted = {name: Counter(terms(text)) for name, text in descriptions.items()}
    spread = Counter(term for counts in counted.values() for term in counts)
    rarity = {term: math.log((1 + len(counted)) / (1 + count)) + 1 for term, count in spread.items()}
    asked = {term: count * rarity[term] for term, count in Counter(terms(sentence)).items() if term in rarity}
    return {
        name: _cosine(asked, {t: n * rarity[t] for t, n in counts.items()})
        for name, counts in counted.items()
    }


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    shared = sum(weight * other[term] for term, weight in sorted(one.items()) if term in other)
    size = math.hypot(*sorted(one.values())) * math.hypot(*sorted(other.values()))
    return shared / size if size else 0.0
