"""Pricing: which of the planned processes a price of the sentence is of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import dropwhile, takewhile

from synthesis.procedural.business.deposits import is_of_deposit
from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess
from synthesis.procedural.composing.wording import snake
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import kinds_of
from synthesis.procedural.sentence.limits import DAYS_OF, TIMES
from synthesis.procedural.sentence.stated_prices import StatedPrice, prices_of
from synthesis.procedural.sentence.tokens import CONJUNCTIONS, PREPOSITIONS, SentenceToken

_PLACES = frozenset(
    ("place", "seat", "ticket", "head", "person", "child", "adult", "pupil", "student", "one")
)
"""For what a place in something costs so much."""
_PIECES = frozenset(("", "piece", "item", "each"))
_TIMES = frozenset((*TIMES, "several"))
_LEADING = frozenset(("a", "an", "the", "each"))
_COSTS = frozenset(("cost", "is", "at"))
"""Words between what something is and its price."""
_NEAR = 5
"""Words behind a price among which what it is for is named."""
_LEAST_CENTS, _MOST_CENTS = 10, 10_000_000


def note_prices(plan: BusinessPlan, tokens: Sequence[SentenceToken]) -> None:
    """Note what the processes of a plan cost by their sentence; a price of no process is left for a report.

    Args:
        plan: What was planned.
        tokens: The sentence.
    """
    noted = [*_by_category(plan, tokens), *_of_services(plan, tokens)]
    for price in prices_of(tokens):
        if price in noted:
            continue
        fit = [each for each in plan.processes if _fits(price, each)]
        nearest = _named(price, plan.processes)
        named = [each for each in nearest if each in fit]
        fitting = _LEAST_CENTS <= price.cents <= _MOST_CENTS and not is_of_deposit(tokens, price.tokens)
        if not fitting or _is_of_people(price) or (price.is_conditional and not price.is_late):
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


def _by_category(plan: BusinessPlan, tokens: Sequence[SentenceToken]) -> list[StatedPrice]:
    """Note what units cost by category, "£65 a night for a single and £85 for a double"; the prices noted."""
    prices = [price for price in prices_of(tokens) if not price.is_late]
    for process in plan.processes:
        if process.pattern.shape not in ("hold", "slot") or process.item:
            continue
        heads = _heads(process)
        listed = [(kind, price) for price in prices if (kind := _category_of(price, heads))]
        first = next((price for _, price in listed if _fits(price, process)), None)
        units = {"", first.unit} if first is not None else set[str]()
        alike = all(price.unit in units | set(kind.split()) for kind, price in listed)
        if first is None or len(listed) == 1 or not alike or len({kind for kind, _ in listed}) != len(listed):
            continue
        if all(_LEAST_CENTS <= price.cents <= _MOST_CENTS for _, price in listed):
            process.category_cents = {snake(kind): price.cents for kind, price in listed}
            process.price_cents = min(process.category_cents.values())
            process.kinds += [kind for kind, _ in listed if kind not in process.kinds]
            return [price for _, price in listed]
    return []


def _of_services(plan: BusinessPlan, tokens: Sequence[SentenceToken]) -> list[StatedPrice]:
    """Note what people come for costs, "£15 for a haircut", "a beard trim is £8"; the prices noted."""
    noted = []
    for process in plan.processes:
        if not process.service:
            continue
        for price in prices_of(tokens):
            near = price.before[:_NEAR]
            known = [each for each in process.services if singular(each.rpartition(" ")[2]) in near]
            named = _category_of(price, ()) or price.unit or _costing(price) or next(iter(known), "")
            fits = _LEAST_CENTS <= price.cents <= _MOST_CENTS and not price.is_late
            fits = fits and not price.is_conditional
            if not fits or not named or named in (process.record, process.party):
                continue
            service = next((each for each in process.services if singular(each) == singular(named)), named)
            if service == named and named not in process.services:
                process.services.append(named)
            process.service_cents.setdefault(service, price.cents)
            noted.append(price)
    return noted


def _costing(price: StatedPrice) -> str:
    """ "a full groom costs £45": what has a price right behind it; "" where it has no article."""
    words = list(dropwhile(lambda word: word in _COSTS, price.before))
    named = list(takewhile(lambda word: _names(word) and word not in _LEADING, words))
    leads = words[len(named) : len(named) + 1]
    return " ".join(reversed(named)) if leads and leads[0] in _LEADING and len(named) <= _NEAR else ""


def _category_of(price: StatedPrice, heads: Collection[str]) -> str:
    """The category that a price is for, by the words right behind it, "for a double"; "" where none is."""
    if price.behind[:1] != ("for",):
        return ""
    words = [word for word in takewhile(_names, price.behind[1:_NEAR]) if word not in _LEADING]
    kind = " ".join(words)
    return "" if kind in heads or kinds_of(kind)[:1] in (("party",), ("time",)) else kind


def _names(word: str) -> bool:
    """Whether a word may belong to the name of a category."""
    return word.replace("-", "").isalpha() and word not in PREPOSITIONS | CONJUNCTIONS


def _is_of_people(price: StatedPrice) -> bool:
    """ "an extra driver costs £8 a day": whether it is somebody that costs so much."""
    costing = price.before[:1] in (("cost",), ("costs",))
    return costing and not {"party", "staff"}.isdisjoint(
        kinds_of(price.before[1]) if price.before[1:] else ()
    )


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
