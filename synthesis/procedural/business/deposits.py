"""Deposits and currency: what is left as a security, "a deposit of 50 euros", and how money is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from synthesis.procedural.business.planned import PlannedProcess
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.stated_prices import cents_at
from synthesis.procedural.sentence.tokens import SentenceToken

CURRENCIES = {
    **dict.fromkeys(("€", "euro", "eur"), "€{}"),
    **dict.fromkeys(("£", "pound", "penny", "pence", "gbp"), "£{}"),
    **dict.fromkeys(("$", "dollar", "usd"), "${}"),
    **dict.fromkeys(("franc", "chf"), "{} CHF"),
}
"""By sign or word, in the singular: how amounts are written."""
_SECURITY = frozenset(("deposit", "bond", "caution"))
LEAVING = frozenset(
    (
        "take",
        "keep",
        "hold",
        "leave",
        "lose",
        "ask",
        "ask for",
        "require",
        "want",
        "charge",
        "return",
        "give back",
    )
)
"""Verbs that say no more of a deposit than that it is left, kept or given back."""
_NEAR = 4
_OTHERS = frozenset(("box", "slip", "bank", "account"))
"""Nouns before which a deposit is no security: "safe deposit boxes"."""


def currency_of(text: str) -> str:
    """How a text writes amounts; "" where it names no money."""
    signs = [character for character in text if character in CURRENCIES]
    named = [singular(word) for word in re.findall(r"[^\W\d_]+", text.lower())]
    words = [CURRENCIES[one] for one in named if one in CURRENCIES]
    pence = ["£{}"] if re.search(r"\b\d+p\b", text) else []
    return ([CURRENCIES[sign] for sign in signs[:1]] + words + pence + [""])[0]


def is_security(noun: str) -> bool:
    """Whether a noun means what is left as a security."""
    return noun.rpartition(" ")[2] in _SECURITY


def note_deposit(process: PlannedProcess, tokens: list[SentenceToken]) -> None:
    """Note that something is left for what a process lends or lets, and how much where that is said."""
    places = [place for place, token in enumerate(tokens) if is_security(singular(token.word))]
    for place in places:
        if any(singular(token.word) in _OTHERS for token in tokens[place + 1 : place + 2]):
            continue
        near = [*range(place + 1, min(place + _NEAR, len(tokens))), *range(max(place - 2, 0), place)]
        amounts = [cents for at in near if (cents := cents_at(tokens, at)) and _is_money(tokens, at)]
        process.deposit = amounts[0] if amounts else process.deposit or 0


def is_of_deposit(text: Sequence[SentenceToken], rule: Sequence[SentenceToken]) -> bool:
    """Whether a price that a text states is that of a deposit: "a deposit of £50", "a £50 deposit"."""
    at = next(place for place, token in enumerate(text) if token is rule[0])
    near = (*text[max(at - 2, 0) : at], *rule, *text[at + len(rule) : at + len(rule) + 1])
    priced = any(token.is_price or singular(token.word) in CURRENCIES for token in rule)
    return priced and any(is_security(singular(token.word)) for token in near)


def _is_money(tokens: list[SentenceToken], place: int) -> bool:
    """Whether a number is no share and no time: followed by a currency, by a deposit or by nothing."""
    if tokens[place].is_price:
        return True
    behind = singular(tokens[place + 1].word) if place + 1 < len(tokens) else ""
    return (
        behind in CURRENCIES or is_security(behind) or not behind.isalpha() or behind in ("and", "per", "for")
    )
