"""Appointments: in whose day they are, and what people come for."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess, kind_of
from synthesis.procedural.business.qualification import trade_of
from synthesis.procedural.business.vocabulary import titled
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import kinds_of

APPOINTMENT = "appointment"
"""The pattern of what people come to somebody for, at an hour."""
_GOING_OUT, _RECEIVING = "vehicle", "room"
"""In what visits are made to people, and paid by them."""
_HOSTS = {
    "show": "host",
    "photograph": "photographer",
    **dict.fromkeys(("test", "exam", "examination"), "examiner"),
}
"""Verb, or what a record is, to who does that in any trade."""
_OTHER = "other"
_SERVICE = "service"
_RATES = (3000, 9000)
"""What an hour costs of trades that have no prices."""
_FEWEST_NAMED = 2
"""Services of a sentence from which on there are no others."""


@dataclass(frozen=True)
class Service:
    """What people come for.

    Args:
        name: As it stands in a list of prices.
        hours: How long it takes.
        cents: What it costs; 0 where the trade has no usual price for it.
    """

    name: str
    hours: int
    cents: int


@dataclass(frozen=True)
class _Trade:
    people: str
    services: tuple[Service, ...]


def set_diaries(plan: BusinessPlan) -> None:
    """Note of what a plan books by the hour whether that is in somebody's day, and what people come for."""
    _join(plan)
    rostered = {each.object for each in plan.processes if each.name == "roster"}
    for planned in plan.processes:
        if planned.pattern.shape != "slot":
            continue
        if planned.name == APPOINTMENT and planned.record.rpartition(" ")[2] == "visit":
            goes_out = {"party", "business"} <= set(kinds_of(planned.object))  # to villages
            planned.subject = _GOING_OUT if goes_out else _RECEIVING
        elif planned.name == APPOINTMENT and not _is_visited(planned):
            practical = [role for role in plan.roles if role not in rostered and role != planned.party]
            planned.subject = next(iter(practical), "") or _who_sees(plan.business, planned)
            plan.roles = [role for role in plan.roles if role != planned.subject]
            planned.staffed = True
            if planned.record.rpartition(" ")[2] == APPOINTMENT:
                planned.service = _SERVICE
                planned.services, planned.kinds = planned.kinds, []
        planned.staffed = planned.staffed or kinds_of(planned.subject)[:1] == ("staff",)


def _join(plan: BusinessPlan) -> None:
    """Take "books vaccinations, check-ups and surgery" for appointments for one of these."""
    booked = [each for each in plan.processes if each.name == APPOINTMENT and each.record == each.object]
    first = booked[0] if booked else None
    alike = [each for each in booked if first and (each.verb, each.party) == (first.verb, first.party)]
    if first is None or len(alike) < _FEWEST_NAMED:
        return
    services = [noun for each in alike for noun in (each.object, *each.kinds)]
    first.record = first.object = APPOINTMENT
    first.kinds = services
    first.verbs = [verb for each in alike for verb in each.verbs]
    plan.processes = [each for each in plan.processes if each is first or each not in alike]


def _is_visited(planned: PlannedProcess) -> bool:
    """Whether an appointment is to see a place, "flat viewing", which is shown to one at a time."""
    return planned.subject == planned.object and kind_of(planned.subject, "thing") == "place"


def _who_sees(business: str, planned: PlannedProcess) -> str:
    """Who sees those who come, where no people of the sentence do."""
    acts = (planned.verb.partition(" ")[0], planned.record.rpartition(" ")[2])
    host = next((_HOSTS[act] for act in acts if act in _HOSTS), "")
    trade = trade_of(business)
    of_trade = trade or (_trade(business) or _trades()[_OTHER]).people
    return of_trade if not host or trade.endswith(host) else host


def services_of(business: str, planned: PlannedProcess) -> list[Service]:
    """What people come for: what the sentence names, and where that is too little, what the trade does.

    What the sentence names takes as long and costs as much as what the trade calls alike, or as something
    else that it does which is not the cheapest.
    """
    usual = (_trade(business) or _trades()[_OTHER]).services
    names = [titled(singular(noun)) for noun in dict.fromkeys(planned.services)]
    alike = {name: next((each for each in usual if _are_alike(name, each.name)), None) for name in names}
    rest = [each for each in usual if each not in alike.values()] or list(usual)
    middle = sorted(rest, key=lambda each: each.cents)[len(rest) // 3 :]  # of neither the least nor the most
    named = [
        replace(each or middle[n % len(middle)], name=name) for n, (name, each) in enumerate(alike.items())
    ]
    if len(named) >= _FEWEST_NAMED:
        return named
    return [*named, *(each for each in usual if not any(_are_alike(each.name, name) for name in names))]


def stated_services(planned: PlannedProcess) -> dict[str, int]:
    """By name of a service: what it costs by the sentence."""
    return {titled(singular(noun)): cents for noun, cents in planned.service_cents.items()}


def priced_services(business: str, planned: PlannedProcess) -> tuple[tuple[str, int, int], ...]:
    """Name, hours and price of what people come for; empty where that is nothing by name."""
    stated, services = stated_services(planned), services_of(business, planned) if planned.service else []
    return tuple((each.name, each.hours, stated.get(each.name, each.cents)) for each in services)


def _are_alike(one: str, other: str) -> bool:
    """Whether one name of a service is another, or ends like it: "Cut", "Fringe Cut"."""
    return one == other or one.endswith(f" {other}") or other.endswith(f" {one}")


def hourly_range(business: str) -> tuple[int, int]:
    """Least and most that an hour of those costs who see people, in cents."""
    services = (_trade(business) or _trades()[_OTHER]).services
    rates = [each.cents // each.hours for each in services if each.cents]
    return (min(rates), max(rates)) if rates else _RATES


def _trade(business: str) -> _Trade | None:
    """The trade of a business by its first word that a list has."""
    return next((_words()[word] for word in business.replace("-", " ").split() if word in _words()), None)


@cache
def _words() -> dict[str, _Trade]:
    return {word: _trades()[name] for name, listed in _listed().items() for word in listed["trades"].split()}


@cache
def _trades() -> dict[str, _Trade]:
    return {
        name: _Trade(
            listed["people"],
            tuple(Service(title, hours, 100 * price) for title, (hours, price) in listed["services"].items()),
        )
        for name, listed in _listed().items()
    }


@cache
def _listed() -> dict[str, dict[str, Any]]:
    text = (resources.files(__package__) / "appointments.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
