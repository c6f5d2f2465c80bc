"""Past tense: whether a word looks like one."""

from __future__ import annotations

from functools import lru_cache

from synthesis.reading.lexicon import IRREGULAR
from synthesis.reading.phrases import NOT_PAST

_PASTS = frozenset(word for word in IRREGULAR if word not in ("people", "children", "read", "let", "found"))


@lru_cache(maxsize=8_192)
def is_past(word: str) -> bool:
    """Whether a word looks like a past tense or participle."""
    return (len(word) > 3 and word.endswith("ed") and word not in NOT_PAST) or word in _PASTS
