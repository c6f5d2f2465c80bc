"""Amounts: what things of a kind are worth, and what their sale, use and repair plausibly cost."""

from __future__ import annotations

import random
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from synthesis.procedural.business.fees import counted_range
from synthesis.procedural.business.model import Process
from synthesis.procedural.business.vocabulary import KINDS_HEADS, is_company
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.lexicon import kinds_of

_OF_VALUE = frozenset(("declared value", "value", "reserve"))
"""Amounts of records that are what a thing is worth, and not what is done to it."""
_BOUGHT = frozenset(("purchase", "commission"))
"""Patterns whose amount is what the thing costs as a whole."""
_DAY_SHARE, _JOB_SHARES = 0.008, (0.04, 0.25)
"""What a day's use costs of the value of a thing, and what a job on it does at the least and the most."""
_MOST_TIMES = 6
"""Times by which the dearest of a kind is dearer than the cheapest."""
_NEVER_PACKED = frozenset(word_list("never_packed"))
_OF_PERSONS, _OF_COMPANIES = 3000, 12000
"""In cents, what a unit costs at the most of which private customers, or companies, take several at once."""
_SMALLEST_AMOUNT = (1000, 6000)
"""In cents, what is declared of small things, of which nobody sends one."""
_STEP_CENTS = 500
_SMALL_THING = 40
"""What something is worth at the most on which a job costs a few units of money."""
_SMALLEST_JOBS, _LARGEST_JOB = (5, 15), 9000


def price_range(noun: str, shape: str) -> tuple[int, int]:
    """Least and most that something of that kind costs, in cents."""
    shape = "hold" if shape == "slot" else shape
    low, high = _known_price(noun, shape) or _derived_price(noun, shape) or _prices()["fallback"][shape]
    return low * 100, high * 100


def value_range(noun: str) -> tuple[int, int]:
    """Least and most that a thing is worth, in cents."""
    low, high = _value(noun) or _known_price(noun, "supply") or _prices()["fallback"]["value"]
    return low * 100, high * 100


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
    thing = process.object or process.subject.noun
    if process.counted:
        return counted_range(process.pattern)
    if is_worth(process) or process.pattern in _BOUGHT:
        low, high = value_range(thing)
        return max(low, _SMALLEST_AMOUNT[0]), max(high, _SMALLEST_AMOUNT[1])
    named = process.noun if _known_price(process.noun, "work") else process.subject.noun
    if not _known_price(named, "work") and process.object:
        named = process.object
    return price_range(named, "work")


def drawn_amount(process: Process, rng: random.Random) -> int:
    """work: an amount of a record by chance, in steps that people use."""
    low, high = amount_range(process)
    if process.counted:
        return rng.randint(low, high)
    return max(_STEP_CENTS, round(rng.randint(low, high) / _STEP_CENTS) * _STEP_CENTS)


def _known_price(noun: str, shape: str) -> tuple[int, int] | None:
    words = noun.split()
    is_kind = len(words) > 1 and words[-1] in KINDS_HEADS
    listed = _prices()[shape].get(words[-2] if is_kind else words[-1]) if words else None
    return tuple(listed) if listed else None


def _derived_price(noun: str, shape: str) -> tuple[int, int] | None:
    """What a thing of known value costs to have or to have worked on; None where its value is not known."""
    value = _value(noun)
    if value is None or shape == "seat":
        return None
    if shape == "supply":
        return value
    if shape == "hold":
        low = max(1, round(value[0] * _DAY_SHARE))
        return low, max(low + 2, min(round(value[1] * _DAY_SHARE), low * _MOST_TIMES))
    least, most = _JOB_SHARES
    low = max(_SMALLEST_JOBS[value[1] > _SMALL_THING], round(value[0] * least))
    return low, max(4 * low, min(round(value[1] * most), _LARGEST_JOB))


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
