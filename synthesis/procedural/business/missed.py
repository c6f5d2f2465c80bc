"""Missed: what those pay by a sentence who do not come to what they booked, or call it off late."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess
from synthesis.procedural.sentence.stated_prices import StatedPrice, prices_of
from synthesis.procedural.sentence.tokens import SentenceToken

_COMING = frozenset(
    ("turn", "turns", "show", "shows", "come", "comes", "appear", "appears", "attend", "attends")
)
_NOT = frozenset(("not", "never", "n't", "don't", "doesn't", "fail", "fails"))
_MISSING = frozenset(("no-show", "no-shows", "miss", "misses", "missed"))
_CALLING_OFF = frozenset(("cancel", "cancels", "cancelling", "cancelled", "cancellation", "cancellations"))
_ENDS = frozenset((".", ";", ":", "!", "?"))
_NEAR = 3
"""Words behind "not" among which coming is denied: "do not always turn up"."""


def note_missed(plan: BusinessPlan, tokens: Sequence[SentenceToken]) -> None:
    """Note of what is booked by the hour what a no-show and a late cancellation cost by the sentence.

    A process of those who are charged for nothing else is left out again: bills are a record of that.
    """
    booked = next((each for each in plan.processes if each.pattern.shape == "slot"), None)
    if booked is None:
        return
    if any(map(_is_missed, _parts(tokens))):
        plan.processes = [each for each in plan.processes if not _is_of_people(each, plan)]
    for price, words in _costs(plan, tokens):
        if _is_missed(words):
            booked.no_show_cents = booked.no_show_cents or price.cents
        else:
            booked.cancel_cents = booked.cancel_cents or price.cents
        plan.priced = (*plan.priced, price)


def _parts(tokens: Sequence[SentenceToken]) -> list[list[str]]:
    """The words of the sentences and their parts between semicolons."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token.word in _ENDS:
            parts.append([])
        else:
            parts[-1].append(token.word)
    return parts


def _is_missed(words: Sequence[str]) -> bool:
    """Whether somebody does not come by some words."""
    denied = [place for place, word in enumerate(words) if word in _NOT]
    stays_away = any(not _COMING.isdisjoint(words[place + 1 : place + 1 + _NEAR]) for place in denied)
    return stays_away or not _MISSING.isdisjoint(words)


def _costs(plan: BusinessPlan, tokens: Sequence[SentenceToken]) -> list[tuple[StatedPrice, list[str]]]:
    """Prices of nothing else, with the words of the part of the sentence that says when they are due."""
    costs = []
    for price in prices_of(tokens):
        first = tokens.index(price.tokens[0])
        words = next(part for part in _with_places(tokens) if first in part[0])[1]
        if price not in plan.priced and (_is_missed(words) or not _CALLING_OFF.isdisjoint(words)):
            costs.append((price, words))
    return costs


def _with_places(tokens: Sequence[SentenceToken]) -> list[tuple[range, list[str]]]:
    """The parts of a text with the places of their tokens."""
    ends = [place for place, token in enumerate(tokens) if token.word in _ENDS]
    starts = [0, *(place + 1 for place in ends)]
    return [
        (range(start, end + 1), [token.word for token in tokens[start:end]])
        for start, end in zip(starts, [*ends, len(tokens)], strict=True)
    ]


def _is_of_people(process: PlannedProcess, plan: BusinessPlan) -> bool:
    """ "charges people who do not turn up": whether a process only bills those who are served."""
    return process.name == "billing" and process.object in ("", process.party, *plan.parties)
