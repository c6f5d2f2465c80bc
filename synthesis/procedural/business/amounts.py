"""Amounts: what things of a kind are worth, and what their sale, use and repair plausibly cost."""

from __future__ import annotations

import random
import tomllib
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from synthesis.procedural.business.fees import counted_range
from synthesis.procedural.business.model import Process, Row
from synthesis.procedural.business.vocabulary import KINDS_HEADS, is_company
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.lexicon import kinds_of

_OF_VALUE = frozenset(("declared value", "value", "reserve"))
"""Amounts of records that are what a thing is worth, and not what is done to it."""
_BOUGHT = frozenset(("purchase", "commission"))
"""Patterns whose amount is what the thing costs as a whole."""
_FIXED = frozenset(("fee", "price"))
"""Amounts that are as the price list has them; others are asked for what one job takes."""
_AROUND = (0.7, 1.6)
"""Between which shares of the standard price of its kind a job comes to."""
_BUYING, _LOT = (0.4, 0.7), (5, 20)
"""For which share of the price at which it is sold something is bought, and how many of it at once."""
_OF_THING = frozenset(("estimate", "quote"))
"""Amounts that nobody agrees to where the thing is worth less."""
_DAY_SHARE = 0.008
"""What a day's use costs of the value of a thing."""
_MOST_TIMES = 6
"""Times by which the dearest of a kind is dearer than the cheapest."""
_NEVER_PACKED = frozenset(word_list("never_packed"))
_OF_PERSONS, _OF_COMPANIES = 3000, 12000
"""In cents, what a unit costs at the most of which private customers, or companies, take several at once."""
_SMALLEST_AMOUNT = (1000, 6000)
"""In cents, what is declared of small things, of which nobody sends one."""
_STEPS = ((1_000, 50), (5_000, 100), (20_000, 500), (200_000, 1_000), (1_000_000, 5_000))
_LIMIT_STEPS = ((2_000, 100), (10_000, 500), (50_000, 2_500), (200_000, 10_000), (1_000_000, 50_000))
"""In what steps amounts, and limits, go up to so much, both in cents."""
_LARGEST_STEP, _LARGEST_LIMIT_STEP = 10_000, 500_000
_SMALL_THING = 40
"""What something is worth at the most on which a job costs a few units of money."""
_SMALLEST_JOBS, _LARGEST_JOB = (5, 15), 9000
_MOST_OF_USUAL = 4
"""Times by which work costs more on a dear thing, where the thing is not what it is priced by."""
_LEAST_SPREAD = 1.5
"""How much more than the least amount a thing has to be worth for its value to be the most."""


def price_range(noun: str, shape: str) -> tuple[int, int]:
    """Least and most that something of that kind costs, in cents."""
    shape = "hold" if shape == "slot" else shape
    low, high = _known_price(noun, shape) or _derived_price(noun, shape) or _prices()["fallback"][shape]
    return low * 100, high * 100


def value_range(noun: str) -> tuple[int, int]:
    """Least and most that a thing is worth, in cents."""
    low, high = _value(noun) or _known_price(noun, "supply") or _prices()["fallback"]["value"]
    return low * 100, high * 100


def replacement_of(noun: str, daily: int, rng: random.Random) -> int:
    """In cents, what has to be paid for a thing that was lost; what costs more by the day is worth more."""
    if _value(noun) is None:
        return daily * rng.randint(15, 30)
    (low, high), (cheap, dear) = value_range(noun), price_range(noun, "hold")
    share = min(max((daily - cheap) / (dear - cheap), 0), 1) if dear > cheap else 0
    return round(low + (high - low) * (0.8 * share + rng.uniform(0, 0.2)))


def is_packed(noun: str, party: str) -> bool:
    """Whether something is sold in packs: small goods are, and what companies buy; tickets are not."""
    if noun.rpartition(" ")[2] in _NEVER_PACKED:
        return False
    most = price_range(noun, "supply")[1]
    return "stock" in kinds_of(noun) and most <= (_OF_COMPANIES if is_company(party) else _OF_PERSONS)


def is_worth(process: Process) -> bool:
    """Whether the amount of a record is what a thing is worth, and not what is charged for it."""
    return process.amount in _OF_VALUE


def amount_range(process: Process) -> tuple[int, int]:
    """work: least and most that the amount of a record is, in cents or in what is counted."""
    if process.counted:
        return counted_range(process.pattern)
    if is_worth(process) or process.pattern in _BOUGHT:
        low, high = value_range(process.object or process.subject.noun)
        return max(low, _SMALLEST_AMOUNT[0]), max(high, _SMALLEST_AMOUNT[1])
    return job_range(process)


def job_range(process: Process) -> tuple[int, int]:
    """work: least and most that one of its jobs costs, in cents: what is bought or made costs its value."""
    if process.pattern in _BOUGHT:
        return amount_range(process)
    job = _prices()["jobs"].get(process.pattern, {"range": _prices()["fallback"]["work"]})
    named = (process.noun, process.subject.noun, process.object)
    listed = (_known_price(noun, "work") for noun in named if noun)
    known = next((each for each in listed if each is not None), None) if "listed" in job else None
    thing = process.object or process.subject.noun
    usual = job["range"]
    most = _LARGEST_JOB if "listed" in job else _MOST_OF_USUAL * usual[1]
    low, high = known or _share_of_value(thing, job.get("of_value"), most) or tuple(usual)
    return low * 100, high * 100


def drawn_amount(process: Process, subject: Row, rng: random.Random) -> int:
    """work: an amount of a record by chance, in steps that people use.

    Args:
        process: Of the record.
        subject: What the record is about: a kind of work has its price, and a thing its value.
        rng: Where the choice comes from.
    """
    low, high = amount_range(process)
    if process.counted:
        return rng.randint(low, high)
    if process.pattern == "purchase" and "unit_price_cents" in subject:
        return in_steps(round(subject["unit_price_cents"] * rng.uniform(*_BUYING) * rng.randint(*_LOT)))
    if "standard_cents" in subject and not is_worth(process):
        standard = subject["standard_cents"]
        if process.amount in _FIXED:
            return int(standard)
        low, high = (round(standard * share) for share in _AROUND)
    elif process.amount in _OF_THING:
        worth = subject.get("value_cents", high)
        high = min(high, worth) if worth > _LEAST_SPREAD * low else round(2 * low)  # of what is worth little
    return in_steps(rng.randint(low, high))


def in_steps(cents: int) -> int:
    """The nearest amount that somebody would name: 38, 145, 1250."""
    step = next((step for most, step in _STEPS if cents <= most), _LARGEST_STEP)
    return max(step, round(cents / step) * step)


def limit_among(amounts: Sequence[int]) -> int:
    """A limit that people would set, above which about half of some amounts are: as round as that allows."""
    ordered = sorted(amounts)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) // 2
    usual = next((step for most, step in _LIMIT_STEPS if middle <= most), _LARGEST_LIMIT_STEP)
    steps = (usual, *(step for _, step in reversed(_LIMIT_STEPS) if step < usual))
    limits = [max(middle // step, 1) * step for step in steps]
    return next((each for each in limits if _divides(ordered, each)), limits[-1])


def _divides(ordered: Sequence[int], limit: int) -> bool:
    """Whether at least a third of some amounts is on either side of a limit."""
    below = bisect_right(ordered, limit)
    return min(below, len(ordered) - below) * 3 >= len(ordered)


def _known_price(noun: str, shape: str) -> tuple[int, int] | None:
    words = noun.split()
    is_kind = len(words) > 1 and words[-1] in KINDS_HEADS
    listed = _prices()[shape].get(words[-2] if is_kind else words[-1]) if words else None
    return tuple(listed) if listed else None


def _derived_price(noun: str, shape: str) -> tuple[int, int] | None:
    """What a thing of known value costs to have for a day, or to keep; None where its value is not known."""
    value = _value(noun)
    if value is None or shape not in ("supply", "hold"):
        return None
    if shape == "supply":
        return value
    low = max(1, round(value[0] * _DAY_SHARE))
    return low, max(low + 2, min(round(value[1] * _DAY_SHARE), low * _MOST_TIMES))


def _share_of_value(noun: str, shares: Sequence[float] | None, most_of_all: int) -> tuple[int, int] | None:
    """What a job on a thing of known value costs; None where neither is known."""
    value = _value(noun)
    if value is None or shares is None:
        return None
    least, most = shares
    low = max(_SMALLEST_JOBS[value[1] > _SMALL_THING], round(value[0] * least))
    low = min(low, most_of_all // 4)
    return low, max(4 * low, min(round(value[1] * most), most_of_all))


def _value(noun: str) -> tuple[int, int] | None:
    words = noun.split()
    joined = "-".join(words[-2:])
    return _values().get(joined) or _values().get(words[-1]) if words else None


@cache
def _values() -> dict[str, tuple[int, int]]:
    listed = _read("values.toml")["of"]
    return {word: tuple(each["range"]) for each in listed for word in each["words"].split()}


@cache
def _prices() -> dict[str, Any]:
    return _read("prices.toml")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((resources.files(__package__) / name).read_text(encoding="utf-8"))
