"""Head counts: how many of something a sentence says there are, "85 plots", "a choir of 60 singers"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from synthesis.procedural.sentence.limits import number_of
from synthesis.procedural.sentence.phrases import noun_phrase
from synthesis.procedural.sentence.stated_prices import price_at
from synthesis.procedural.sentence.stated_rules import rules_of
from synthesis.procedural.sentence.tokens import SentenceToken

_FEWEST_OF_MANY = 2
_APART = frozenset(("between", "after", "every", "within"))
"""Words before a number of those of which there may be more: "between two jabs"."""


@dataclass(frozen=True)
class HeadCount:
    """How many of something there are."""

    noun: str
    """In the singular, as the sentence has it."""
    number: int
    tokens: tuple[SentenceToken, ...]


def head_counts(tokens: Sequence[SentenceToken]) -> list[HeadCount]:
    """What a sentence counts, in order; numbers of rules, times and prices count nothing.

    Args:
        tokens: The sentence.
    """
    ruled = {id(token) for rule in rules_of(tokens) for token in rule}
    priced = {id(token) for at in range(len(tokens)) for token in price_at(tokens, at)}
    counted = []
    for at, token in enumerate(tokens[:-1]):
        number = number_of(token)
        apart = at and tokens[at - 1].word in _APART
        if number < _FEWEST_OF_MANY or apart or id(token) in ruled | priced:
            continue
        phrase = noun_phrase(list(tokens), at + 1)
        if phrase is not None and phrase.many and phrase.tokens[0] is tokens[at + 1]:
            counted.append(HeadCount(phrase.text, number, (token, *phrase.tokens)))
    return counted
