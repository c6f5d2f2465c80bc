"""Recurrences: how often a text says that something is done, "once a year", "every six months"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.limits import DAYS_OF, StatedLimit, number_of
from synthesis.procedural.sentence.tokens import SentenceToken

_OFTEN = {"once": 1, "twice": 2}
_EACH = frozenset(("every", "each"))
_RATES = frozenset(("a", "an", "per", "every", "each"))
_ADVERBS = {
    **dict.fromkeys(("yearly", "annually"), "year"),
    "monthly": "month",
    "weekly": "week",
}
_BOUNDING = frozenset(("most", "than", "may", "can", "pay", "pays", "charge", "charges"))
_SHORTEST, _LONGEST = 7, 1100
"""Days between which a recurrence is long enough to be planned, and short enough to be met."""
_FAR = 14


def recurrences_of(tokens: Sequence[SentenceToken]) -> Iterator[StatedLimit]:
    """How often a text says that things are done, in order, as limits of the kind `recur`.

    Args:
        tokens: The text; what is done so often at the most is no recurrence.
    """
    for place in range(len(tokens)):
        read = _at(tokens, place)
        if read is None or _is_bound(tokens, place):
            continue
        number, unit, end = read
        limit = StatedLimit("recur", number, unit, tuple(tokens[place:end]))
        if _SHORTEST <= limit.days <= _LONGEST:
            before = tuple(token.word for token in reversed(tokens[max(0, place - _FAR) : place]))
            yield StatedLimit("recur", number, unit, limit.tokens, "", before)


def _at(tokens: Sequence[SentenceToken], place: int) -> tuple[int, str, int] | None:
    """Number and unit of what begins at a place, and where it ends; None where nothing does."""
    words = [singular(token.word) for token in tokens[place : place + 3]]
    word = tokens[place].word
    if word in _ADVERBS and (place + 1 == len(tokens) or not tokens[place + 1].is_content):
        return 1, _ADVERBS[word], place + 1  # a "weekly paper" is no recurrence
    if word in _OFTEN and len(words) > 2 and tokens[place + 1].word in _RATES and words[2] in DAYS_OF:
        days = DAYS_OF[words[2]] // _OFTEN[word]
        return (1, words[2], place + 3) if word == "once" else (days, "day", place + 3)
    if word not in _EACH or len(words) < 2:
        return None
    if words[1] in DAYS_OF:
        return 1, words[1], place + 2
    number = number_of(tokens[place + 1]) if len(words) > 2 else 0
    return (number, words[2], place + 3) if number and words[2] in DAYS_OF else None


def _is_bound(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether a word before makes it a bound or a price: "no more than once a week", "£5 every week"."""
    before = tokens[max(0, place - 3) : place]
    return any(token.word in _BOUNDING or token.is_price for token in before)
