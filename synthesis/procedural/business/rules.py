# ruff: noqa: S608 - it writes SQL, from names of its own
"""Rules: what only the policy says, with the numbers of one world and SQL that finds breaches."""

from __future__ import annotations

import random

from synthesis.procedural.business.amounts import amount_range
from synthesis.procedural.business.common_rules import common_rules
from synthesis.procedural.business.deadlines import deadline_rules
from synthesis.procedural.business.entry_rules import entry_rules
from synthesis.procedural.business.model import Business, Process, Rule
from synthesis.procedural.business.qualification import description, needed
from synthesis.procedural.business.recurrence import recurrence_rules
from synthesis.procedural.business.stated_limits import span_of, stated_limits
from synthesis.procedural.business.unit_rules import hold_rules, slot_rules
from synthesis.procedural.composing.wording import listing, sentence
from synthesis.procedural.sentence.inflection import article, is_mass, participle, plural
from synthesis.procedural.sentence.limits import StatedLimit

_MOST_PACKS, _MOST_UNITS = (8, 10, 12), (2, 3)
"""How much of what is free a clerk may let somebody have, of what comes in packs and of other things."""


def rules_of(business: Business, rng: random.Random) -> dict[str, Rule]:
    """Every rule of a business by key; those of a process begin with the name of its records' table."""
    makers = {"hold": hold_rules, "slot": slot_rules, "seat": _seat, "supply": _supply, "work": _work}
    rules = [
        rule
        for process in business.processes
        for rule in (
            *makers[process.shape](business, process, rng),
            *recurrence_rules(business, process),
            *entry_rules(business, process),
        )
    ]
    rules += common_rules(business, rng)
    return {rule.key: rule for rule in rules}


def _seat(b: Business, p: Process, rng: random.Random) -> list[Rule]:
    most, days, percent = rng.choice((3, 4, 5)), rng.choice((5, 7, 10)), rng.choice((20, 25, 50))
    stated = stated_limits(b, p)
    most = stated["most"].number if "most" in stated else 1 if p.single else most
    days = stated["notice"].days if "notice" in stated else days
    name, plus = p.record.name, b.tiers[1]
    covered = "one place, and no more" if most == 1 else f"{most} places at most"
    return [
        Rule(
            f"{name}.queue",
            rng.choice(
                (
                    (
                        f"Places that become free in {article(p.subject.noun)} go to a waiting {p.noun} that"
                        f" fits in: those of {plus} {p.party.many} first, among equals the one registered"
                        " earliest."
                    ),
                    f"The waiting list of {article(p.subject.noun)} is served {plus} {p.party.many} first and"
                    f" then by date of registration; a {p.noun} that needs more places than are free is"
                    " passed over.".replace("a " + p.noun, article(p.noun)),
                )
            ),
        ),
        Rule(
            f"{name}.places",
            f"{sentence(article(p.noun))} covers {covered}.",
            {"n": most},
            breaches=f"SELECT id FROM {name} WHERE places > {most}",
        ),
        _withdrawal(b, p, rng, days, percent),
        *_ahead_of_event(p, stated),
    ]


def _withdrawal(b: Business, p: Process, rng: random.Random, days: int, percent: int) -> Rule:
    """Until when a place is given up for nothing; where nothing is billed, until when one can be at all."""
    if not (b.has_charges and p.billed):
        texts = (
            f"{sentence(article(p.noun))} is given up {days} days before the {p.subject.noun} or earlier.",
            f"Places in {article(p.subject.noun)} are given up no later than {days} days before it begins.",
        )
        return Rule(f"{p.record.name}.withdrawal", rng.choice(texts), {"days": days})
    return Rule(
        f"{p.record.name}.withdrawal",
        rng.choice(
            (
                (
                    f"Whoever gives up a {p.states[1].replace('_', ' ')} place fewer than {days} days"
                    f" before the {p.subject.noun} begins pays {percent} % of the price of all places of"
                    f" the {p.noun}, raised as a cancellation {b.charge.noun}."
                ),
                (
                    f"Up to {days} days before {article(p.subject.noun)} begins, giving up a"
                    f" {p.states[1].replace('_', ' ')} {p.noun} costs nothing; after that {percent} % of"
                    f" the price of its places is raised as a cancellation {b.charge.noun}."
                ),
            )
        ),
        {"days": days, "percent": percent},
    )


def _ahead_of_event(p: Process, stated: dict[str, StatedLimit]) -> list[Rule]:
    """How long before an event its places are given, where the sentence says that; it takes no chance."""
    if "ahead" not in stated:
        return []
    limit = stated["ahead"]
    text = f"No {p.noun} is entered later than {span_of(limit)} before the {p.subject.noun} begins."
    return [Rule(f"{p.record.name}.ahead", text, {"days": limit.days})]


def _supply(b: Business, p: Process, rng: random.Random) -> list[Rule]:
    days = rng.choice((10, 14, 21))
    stated = stated_limits(b, p)
    days = stated["within"].days if "within" in stated else days
    name = p.record.name
    return [
        *_pack_rules(p, rng),
        *_quantity_rules(b, p, rng),
        Rule(
            f"{name}.return",
            rng.choice(
                (
                    (
                        f"{sentence(article(p.noun))} can be {participle(p.acts['return'])} up to {days} days"
                        " after the day it was closed."
                    ),
                    f"After {days} days from its closing day, no {p.noun} is {participle(p.acts['return'])}.",
                )
            ),
            {"days": days},
        ),
        Rule(
            f"{name}.queue",
            rng.choice(
                (
                    (
                        f"While stock is short, {p.record.many} are {participle(p.acts['fulfil'])} in the"
                        " order in which they were placed; one that the remaining stock does not cover is"
                        " skipped."
                    ),
                    (
                        f"Short stock is used up by date of placing, oldest first; {article(p.noun)} larger"
                        " than what is left is skipped."
                    ),
                )
            ),
        ),
    ]


def _pack_rules(p: Process, rng: random.Random) -> list[Rule]:
    """Packs are not broken; nothing is said where units are sold one by one."""
    name, be = p.record.name, "is" if is_mass(p.subject.noun.rpartition(" ")[2]) else "are"
    if not p.packed:
        return []
    return [
        Rule(
            f"{name}.packs",
            rng.choice(
                (
                    (
                        f"{sentence(p.subject.many)} {be} ordered in whole packs only: the quantity is a"
                        " multiple of the pack size."
                    ),
                    (
                        f"Packs are never broken. The quantity of {article(p.noun)} is always a multiple of"
                        " the pack size."
                    ),
                )
            ),
            breaches=(
                f"SELECT r.id AS id FROM {name} r JOIN {p.subject.name} s ON s.id = r.{p.subject.key} "
                "WHERE r.quantity % s.pack_size <> 0"
            ),
        ),
    ]


def _quantity_rules(b: Business, p: Process, rng: random.Random) -> list[Rule]:
    """How much of what is free a clerk may let somebody have; what is paid for has no such limit."""
    if not p.free:
        return []
    most = rng.choice(_MOST_PACKS if p.packed else _MOST_UNITS)
    clerk, first = article(b.clerk.replace("_", " ")), b.supervisor
    fulfilled = participle(p.acts["fulfil"])
    may = (
        f"{sentence(clerk)} may {p.acts['fulfil']} {p.record.many} of up to {most} units. A larger one is"
        f" handed over, with the reason above limit, to the first {first} by first name who is on duty."
    )
    only = (
        f"{sentence(article(p.noun))} of more than {most} units is {fulfilled} by {article(first)} only: hand"
        " it over to the one on duty who comes first by first name, reason above limit, and leave it as"
        " it is."
    )
    return [Rule(f"{p.record.name}.limit", rng.choice((may, only)), {"units": most})]


def _work(b: Business, p: Process, rng: random.Random) -> list[Rule]:
    load = rng.choice((4, 5))
    name = p.record.name
    ((column, value),) = needed(p).items()
    skilled = f" and whose skill is {p.skill}" if p.skill else ""
    with_skill = f" with the skill {p.skill}" if p.skill else ""
    people = b.staff.many if p.skill else plural(p.worker)
    return [
        Rule(
            f"{name}.assign",
            rng.choice(
                (
                    (
                        f"{sentence(article(p.noun))} goes to {description(b, p)} who is on duty{skilled}:"
                        f" the one with the fewest open {p.record.many}, and among equals the first by first"
                        f" name. Nobody gets more than {load} open ones."
                    ),
                    (
                        f"Assign {p.record.many} to {people} on duty{with_skill}. Whoever has the fewest"
                        f" open ones comes first, then the first name in the alphabet; {load} open ones are"
                        " the limit."
                    ),
                )
            ),
            {"n": load},
            breaches=(
                f"SELECT r.id AS id FROM {name} r JOIN {b.staff.name} s ON s.id = r.{b.staff.key} "
                f"WHERE r.status = '{p.states[1]}' AND s.{column} IS NOT '{value}'"
            ),
        ),
        *_closing_rules(b, p, rng),
        *deadline_rules(b, p, rng),
    ]


def _closing_rules(b: Business, p: Process, rng: random.Random) -> list[Rule]:
    """What clerks may close: up to some amount, or with any but one result; nothing is said where all may."""
    clerk, first, limit = article(b.clerk.replace("_", " ")), b.supervisor, _limit(p, rng)
    chosen = rng.randrange(2)
    if p.limited:
        amount = b.amount(p, limit)
        may = (
            f"{sentence(clerk)} may {_closes(p)} {p.record.many} whose {p.amount} is {amount} or less."
            f" Anything above is handed over, with the reason above limit, to the first {first} by first name"
            " who is on duty."
        )
        only = (
            f"To {_closes(p)} {article(p.noun)} whose {p.amount} is above {amount} is for {article(first)}:"
            " when that is to be done, hand it over to the one on duty who comes first by first name, reason"
            " above limit, and leave it open."
        )
        return [Rule(f"{p.record.name}.limit", (may, only)[chosen], {"most": limit})]
    if not p.reserved:
        return []
    bad = p.reserved.replace("_", " ")
    others = listing([each.replace("_", " ") for each in p.results if each != p.reserved], "or")
    may = (
        f"{sentence(clerk)} may {_closes(p)} {p.record.many} whose result is {others}. One with the result"
        f" {bad} is handed over, with the reason result, to the first {first} by first name who is on duty."
    )
    only = (
        f"{sentence(p.record.many)} get the result {bad} from {plural(first)} only. One that came out that"
        " way is left open and handed over to the one on duty who comes first by first name, reason result."
    )
    return [Rule(f"{p.record.name}.result", (may, only)[chosen])]


def _closes(p: Process) -> str:
    """The verb for closing a record: the process's own where it is done to the record itself."""
    return "close" if p.acts["close"] == p.verb and p.object not in ("", p.noun) else p.acts["close"]


def _limit(p: Process, rng: random.Random) -> int:
    low, high = amount_range(p)
    if p.counted:
        return round(low + (high - low) * rng.choice((0.45, 0.5, 0.55)))
    return round((low + (high - low) * rng.choice((0.45, 0.5, 0.55))) / 1000) * 1000
