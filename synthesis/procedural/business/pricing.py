"""Pricing: which of the planned processes a price of the sentence is of."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.procedural.business.deposits import is_of_deposit
from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.limits import DAYS_OF, TIMES
from synthesis.procedural.sentence.stated_prices import StatedPrice, prices_of
from synthesis.procedural.sentence.tokens import SentenceToken

_PLACES = frozenset(
    ("place", "seat", "ticket", "head", "person", "child", "adult", "pupil", "student", "one")
)
"""For what a place in something costs so much."""
_PIECES = frozenset(("", "piece", "item", "each"))
_TIMES = frozenset((*TIMES, "several"))
_LEAST_CENTS, _MOST_CENTS = 10, 10_000_000


def note_prices(plan: BusinessPlan, tokens: Sequence[SentenceToken]) -> None:
    """Note what the processes of a plan cost by their sentence; a price of no process is left for a report.

    Args:
        plan: What was planned.
        tokens: The sentence.
    """
    noted = []
    for price in prices_of(tokens):
        fit = [each for each in plan.processes if _fits(price, each)]
        nearest = _named(price, plan.processes)
        named = [each for each in nearest if each in fit]
        fitting = _LEAST_CENTS <= price.cents <= _MOST_CENTS and not is_of_deposit(tokens, price.tokens)
        if not fitting or (price.is_conditional and not price.is_late):
            continue
        if price.is_late:
            for each in named or fit:
                each.late_cents = each.late_cents or price.cents
                noted.append(price)
            continue
        alone = fit if len(fit) == 1 and _is_of_time(price) and not nearest else []
        process = next(iter(named or alone), None)
        if process is not None and not process.price_cents:
            process.price_cents = price.cents
            noted.append(price)
    plan.priced = tuple(noted)


def _is_of_time(price: StatedPrice) -> bool:
    return price.unit in ("day", "hour", "month")


def _fits(price: StatedPrice, process: PlannedProcess) -> bool:
    """Whether records of a process have room for a price of that unit."""
    shape = process.pattern.shape
    if price.is_late:
        return shape == "hold" and not process.monthly and price.unit == "day"
    if shape == "slot":
        return price.unit == "hour"
    if shape == "hold":
        whole_days = not process.monthly or price.cents % DAYS_OF["month"] == 0  # a day is a thirtieth
        return price.unit == ("month" if process.monthly else "day") and whole_days
    if shape == "seat":
        return price.unit in _PIECES | _PLACES | {process.party}
    return shape == "supply" and price.unit not in _TIMES and process.price_cents == 0


def _named(price: StatedPrice, processes: Sequence[PlannedProcess]) -> list[PlannedProcess]:
    """Those of some processes that the words around a price name, the nearest first."""
    for words in (price.before, price.behind):
        for word in words:
            if named := [each for each in processes if word in _heads(each)]:
                return named
    return []


def _heads(process: PlannedProcess) -> set[str]:
    """The words by which a sentence speaks of what a process is about."""
    names = (process.object, process.subject, process.record, process.item)
    heads = {singular(name.rpartition(" ")[2]) for name in names if name}
    return heads | {"ticket", "place"} if process.pattern.shape == "seat" else heads
