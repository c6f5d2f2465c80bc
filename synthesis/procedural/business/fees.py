"""Fees: which processes are free for those they are for, and what is counted of their records instead."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib import resources

from synthesis.procedural.business.deposits import CURRENCIES
from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess, kind_of
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import kinds_of

_CHARITABLE = frozenset(word_list("charitable"))
_HANDED_OUT = frozenset(("stock", "thing"))
"""What a bank has that is none of money: a food bank, a toy bank, a blood bank."""
_OF_GIVERS = frozenset(word_list("givers"))
_OF_THE_NEEDY = frozenset(word_list("needy"))
_FOR_NOTHING = frozenset(("viewing", "interview", "audition"))
"""Records of what nobody pays for who comes to it, unless the sentence says what it costs."""
_IN_BAGS = "bags"
"""In what goods come that are counted in no other way; sofas come by the piece."""
_UNPAID = frozenset(("volunteer", "voluntary", "volunteering", "unpaid"))
_PRICED_WORDS = frozenset(word_list("priced"))
_ALWAYS_PRICED = frozenset(word_list("priced_patterns"))
"""Patterns of what is paid for also where a charity does it."""
_UPKEEP = frozenset(("cleaning", "repair", "inspection", "measurement"))
"""Patterns of what is done to things that one has."""
_PAID_OUT = frozenset(("award", "claim", "purchase", "disruption"))
"""Patterns whose amounts are paid by the business, and billed to nobody."""
_FREE = re.compile(
    r"\b(?:free of charge|for free|in need)\b"
    r"|\b(?:give|offer|provide|serve|hand|distribute|deliver|run|lend|teach)\w*"
    r"(?: \w{1,20}){0,2} free (?!range|time)"
)


@dataclass(frozen=True)
class Fee:
    """What a process costs those it is for."""

    billed: bool
    """Whether they are sent bills."""
    free: bool
    """Whether no money has to do with it at all."""


def fee_of(planned: PlannedProcess, plan: BusinessPlan, sentence: str) -> Fee:
    """What a process costs those it is for.

    Free is what is donated, what a charity or volunteers do, what people in need are given and what rescuers
    and other public duties are, unless the sentence names a price or the act itself is one of trade.
    """
    text = sentence.lower().replace("free of charge", "for free")
    words = {singular(word) for word in re.findall(r"[^\W\d_]+", text)}
    stated = planned.deposit is not None or planned.price_cents or planned.late_cents
    priced = bool(stated) or not words.isdisjoint({*_PRICED_WORDS, *CURRENCIES})
    given = is_given(planned)
    kind = _is_charitable(plan, planned, words, text)
    shown = planned.record.rpartition(" ")[2] in _FOR_NOTHING and not stated
    free = given or shown or (kind and not priced and planned.name not in _ALWAYS_PRICED)
    billed = not free and not is_own(planned, plan) and planned.name not in _PAID_OUT
    return Fee(billed=billed, free=free)


def is_own(planned: PlannedProcess, plan: BusinessPlan) -> bool:
    """work: whether it is done to what the business lets or lends itself, as a hotel cleans its rooms."""
    lent = {each.subject for each in plan.processes if each.pattern.shape in ("hold", "slot")}
    return planned.name in _UPKEEP and planned.object in lent


def is_given(planned: PlannedProcess) -> bool:
    """Whether something is taken that somebody gives: "collects donations", "accepts clothes from donors"."""
    if planned.name == "gift":
        return True
    about = planned.object.rpartition(" ")[2]
    from_givers = planned.party.rpartition(" ")[2] in _OF_GIVERS
    return about in ("donation", "gift") or (from_givers and planned.pattern.shape in ("work", "supply"))


def _is_charitable(
    plan: BusinessPlan, planned: PlannedProcess, words: Collection[str], sentence: str
) -> bool:
    """Whether those who do something ask for no money: charities, volunteers, rescuers, public duties."""
    named = plan.business.replace("-", " ").split()
    bank = named[-1:] == ["bank"] and bool(_HANDED_OUT & set(kinds_of(" ".join(named[:-1]) or "bank")[:2]))
    served = {
        planned.party.rpartition(" ")[2],
        planned.party.partition(" ")[0],
        planned.object.partition(" ")[0],
    }
    return (
        bank
        or not _CHARITABLE.isdisjoint({*map(singular, named), *map("-".join, itertools.pairwise(named))})
        or not _UNPAID.isdisjoint(words)
        or not _OF_THE_NEEDY.isdisjoint(served)
        or _FREE.search(sentence) is not None
    )


def counted_in(planned: PlannedProcess) -> str:
    """work: what is counted of the records of a process that is free, in the plural; "" of any other."""
    if not planned.free or planned.pattern.shape != "work":
        return ""
    noun = _counts().get(planned.name, _counts()["handling"])[0]
    return "items" if noun == _IN_BAGS and kind_of(planned.object, "stock") == "thing" else noun


def amount_of(planned: PlannedProcess) -> str:
    """work: what is called what a record comes to: what upkeep of one's own costs is no quote and no fee."""
    if counted := counted_in(planned):
        return f"number of {counted}"
    return "cost" if planned.own else planned.pattern.amount


def counted_range(pattern: str) -> tuple[int, int]:
    """The least and the most that is counted of a record of a pattern."""
    _, least, most = _counts().get(pattern, _counts()["handling"])
    return least, most


@cache
def _counts() -> dict[str, tuple[str, int, int]]:
    text = (resources.files(__package__) / "counts.toml").read_text(encoding="utf-8")
    return {name: (each[0], each[1], each[2]) for name, each in tomllib.loads(text)["of"].items()}
