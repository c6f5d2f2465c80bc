"""Counts: numbers of things, and amounts of money among them, as a text has them."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.reading.fact_values import is_whole
from synthesis.reading.lexicon import COUNTS
from synthesis.reading.text_token import TextToken


def small_number(tokens: Sequence[TextToken], at: int) -> int | None:
    """A plain number of things; None for anything else.

    Args:
        tokens: A text.
        at: Which of its tokens.
    """
    token = tokens[at]
    if token.text == "both":
        return 2
    before = tokens[at - 1].text if at else ""
    if before in ("of", "/", "at", "on", "no") or is_whole(tokens, at):
        return None
    if token.text in COUNTS and token.text not in ("once", "twice", "single", "hundred", "dozen", "one"):
        return COUNTS[token.text]
    if set(token.values) - {"number", "whole", "time", "money_cents"} or "." in token.text:
        return None
    values = token.values.get("number", frozenset())
    return next((value for value in values if isinstance(value, int) and 0 < value <= 50), None)


def is_amount(token: TextToken) -> bool:
    """Whether a number is written as money: with a currency or two decimals."""
    is_written_so = token.unit == "money" or token.text[-3:-2] in (".", ",")
    return is_written_so and "money_cents" in token.values
