# ruff: noqa: S608 - it writes SQL, from names of its own
"""Unit rules: what only the policy says of units that somebody holds for days or for hours."""

from __future__ import annotations

import random

from synthesis.procedural.business.model import Business, Process, Rule
from synthesis.procedural.business.stated_limits import span_of, stated_limits
from synthesis.procedural.composing.wording import listing, sentence
from synthesis.procedural.sentence.inflection import article, gerund, participle

_MOST_OF_SERVICES = 3
"""Hours of a day that one person may have of what takes one or two."""


def _deposit_rules(b: Business, p: Process) -> list[Rule]:
    """What becomes of a deposit, which the records keep; it takes no chance."""
    if p.deposit is None:
        return []
    amount = f" of {b.money(p.deposit)}" if p.deposit else ""
    fails = "is lost" if p.is_losable else "ends as a no-show"
    first = (
        f"With {article(p.noun)} goes a deposit{amount}, noted on it. It is given back when the {p.noun} is"
        f" {participle(p.acts['finish'])} or cancelled, and kept when the {p.subject.noun} {fails}."
    )
    return [Rule(f"{p.record.name}.deposit", first.replace(f"the {p.subject.noun} ends", "it ends"))]


def _tariff_rules(b: Business, p: Process) -> list[Rule]:
    """What units cost by category, where the sentence says that; it takes no chance."""
    if not p.category_cents:
        return []
    prices = listing([f"{name.replace('_', ' ')} {b.money(c)}" for name, c in p.category_cents.items()])
    table = p.subject
    wrong = " OR ".join(
        f"(category = '{name}' AND {p.price} <> {cents})" for name, cents in p.category_cents.items()
    )
    text = f"{sentence(table.many)} cost by their category, per {p.period}: {prices}."
    return [Rule(f"{table.name}.tariff", text, breaches=f"SELECT id FROM {table.name} WHERE {wrong}")]


def _price_list(b: Business, p: Process) -> list[Rule]:
    """What services cost by the sentence; it takes no chance."""
    if p.service is None or not p.service_cents:
        return []
    prices = listing([f"{name} {b.money(cents)}" for name, cents in p.service_cents.items()])
    named = {name.replace("'", "''"): cents for name, cents in p.service_cents.items()}
    wrong = " OR ".join(f"(name = '{name}' AND price_cents <> {cents})" for name, cents in named.items())
    table = p.service
    text = f"Prices of {table.many}: {prices}."
    return [Rule(f"{table.name}.tariff", text, breaches=f"SELECT id FROM {table.name} WHERE {wrong}")]


def hold_rules(b: Business, p: Process, rng: random.Random) -> list[Rule]:
    """The rules of what is held for days, as loans and stays are."""
    most, renewals = rng.choice((3, 4)), rng.choice((1, 2))
    stated = stated_limits(b, p)
    most, extra = (stated["most"].number, 0) if "most" in stated else (most, 1)
    record, many, party = p.noun, p.record.many, p.party.noun
    plus = b.tiers[1]
    states = listing([state.replace("_", " ") for state in p.open_states], "or")
    name, plus_sql = p.record.name, b.tiers[1]
    opened = ", ".join(f"'{state}'" for state in p.open_states)
    return [
        *_tariff_rules(b, p),
        *_deposit_rules(b, p),
        Rule(
            f"{name}.most",
            rng.choice(
                (
                    (
                        f"{sentence(article(party))} has at most {most} {many} that are {states} at any time"
                        + (f"; {article(plus)} {party} has at most {most + 1}." if extra else ".")
                    ),
                    (
                        f"No more than {most} {many} ({states}) per {party}"
                        + (f", or {most + 1} where the tier is {plus}." if extra else ".")
                    ),
                )
            ),
            {"n": most, "plus": most + extra},
            breaches=(
                f"SELECT r.{p.party.key} AS id FROM {name} r JOIN {p.party.name} q ON q.id = r.{p.party.key} "
                f"WHERE r.status IN ({opened}) GROUP BY r.{p.party.key} "
                f"HAVING count(*) > CASE max(q.tier) WHEN '{plus_sql}' THEN {most + extra} ELSE {most} END"
            ),
        ),
        Rule(
            f"{name}.renew",
            rng.choice(
                (
                    (
                        f"{sentence(article(record))} may be {participle(p.acts['extend'])}"
                        f" {_times(renewals)} in all, and not once its end date has passed."
                    ),
                    (
                        f"{sentence(gerund(p.acts['extend']))} {article(record)} is allowed"
                        f" {_times(renewals)}; never after the day on which it was to end."
                    ),
                )
            ),
            {"n": renewals},
            breaches=f"SELECT id FROM {name} WHERE extensions > {renewals}",
        ),
        *_billed_rules(b, p, rng),
        _standing(p, rng),
    ]


def _billed_rules(b: Business, p: Process, rng: random.Random) -> list[Rule]:
    """What is charged for ending late and for calling off; nothing where nobody is billed."""
    percent, cap, notice, fee = (
        rng.choice((50, 100, 150)),
        rng.choice((6, 8, 10, 12)),
        rng.choice((2, 3, 4)),
        rng.choice((1, 2)),
    )
    if not (b.has_charges and p.billed):
        return _last_day_of_notice(b, p)
    stated = stated_limits(b, p)
    notice = stated["notice"].days if "notice" in stated else notice
    span = span_of(stated["notice"]) if "notice" in stated else f"{notice} days"
    price = "a thirtieth of its price per month" if p.monthly else "its price per day"
    late_day = b.money(p.late_cents) if p.late_cents else f"{percent} % of {price}"
    record, charge, name = p.noun, b.charge.noun, p.record.name
    days = f"one {p.period}" if fee == 1 else f"two {p.period}s"
    return [
        Rule(
            f"{name}.late",
            rng.choice(
                (
                    (
                        f"Each day by which {article(record)} ends after its end date costs {late_day},"
                        f" counted for {cap} days at most. The amount is raised as one"
                        f" {p.late} {charge} when it is {participle(p.acts['finish'])}."
                    ),
                    (
                        f"When {article(record)} is {participle(p.acts['finish'])} late, raise one"
                        f" {p.late} {charge}: {late_day} for every day after the end"
                        f" date, but never for more than {cap} days."
                    ),
                )
            ),
            {"percent": percent, "cap": cap},
        ),
        Rule(
            f"{name}.notice",
            rng.choice(
                (
                    (
                        f"{sentence(gerund(p.acts['cancel']))} {article(record)} is free until {span}"
                        f" before it starts. With less notice the price of {days} is raised as a cancellation"
                        f" {charge}."
                    ),
                    (
                        f"{sentence(article(record))} that is {participle(p.acts['cancel'])} less than"
                        f" {span} before its start costs the price of {days}, raised as a cancellation"
                        f" {charge}; earlier it costs nothing."
                    ),
                )
            ),
            {"days": notice, "fee": fee},
        ),
    ]


def _last_day_of_notice(b: Business, p: Process) -> list[Rule]:
    """Until when the sentence says that something is called off which costs nothing; it takes no chance."""
    stated = stated_limits(b, p)
    if "notice" not in stated:
        return []
    limit = stated["notice"]
    text = (
        f"{sentence(article(p.noun))} is {participle(p.acts['cancel'])} no later than {span_of(limit)} ahead."
    )
    return [Rule(f"{p.record.name}.notice", text, {"days": limit.days})]


def slot_rules(b: Business, p: Process, rng: random.Random) -> list[Rule]:
    """The rules of what is booked for hours of a day."""
    most = rng.choice((2, 3))
    most = _MOST_OF_SERVICES if p.service is not None else most
    stated = stated_limits(b, p)
    most = next((stated[kind].number for kind in ("most", "hours") if kind in stated), most)
    many, party, name = p.record.many, p.party.noun, p.record.name
    opened = ", ".join(f"'{state}'" for state in p.open_states)
    return [
        Rule(
            f"{name}.hours",
            rng.choice(
                (
                    f"{sentence(article(party))} has {most} hours of {many} on one day at most.",
                    f"No {party} gets more than {most} hours a day, all {many} of that day together.",
                )
            ),
            {"n": most},
            breaches=(
                f"SELECT {p.party.key} AS id FROM {name} WHERE status IN ({opened})"
                f" GROUP BY {p.party.key}, starts_on HAVING sum(hours) > {most}"
            ),
        ),
        *_tariff_rules(b, p),
        *_price_list(b, p),
        *_notice_of_hours(b, p, rng),
        _standing(p, rng),
    ]


def _notice_of_hours(b: Business, p: Process, rng: random.Random) -> list[Rule]:
    """What is charged for calling off hours; nothing where nobody is billed."""
    notice, fee = rng.choice((1, 2, 3)), rng.choice((1, 2))
    fee = 1 if p.service is not None else fee
    if not (b.has_charges and p.billed):
        return _last_day_of_notice(b, p)
    stated = stated_limits(b, p)
    notice = stated["notice"].days if "notice" in stated else notice
    span = span_of(stated["notice"]) if "notice" in stated else f"{notice} day{'s' if notice > 1 else ''}"
    record, charge = p.noun, b.charge.noun
    name = p.record.name
    hours = f"its {p.service.noun}" if p.service is not None else "one hour" if fee == 1 else "two hours"
    price = b.money(p.cancel_cents) if p.cancel_cents else f"the price of {hours}"
    once = f"its {p.service.noun}" if p.service is not None else "one hour"
    missed = b.money(p.no_show_cents) if p.no_show_cents else f"the price of {once}"
    return [
        Rule(
            f"{name}.notice",
            rng.choice(
                (
                    (
                        f"{sentence(gerund(p.acts['cancel']))} {article(record)} is free until {span} before"
                        f" its day. With less notice {price} is raised as a cancellation"
                        f" {charge}."
                    ),
                    (
                        f"{sentence(article(record))} that is {participle(p.acts['cancel'])} less than {span}"
                        f" before its day costs {price}, raised as a cancellation {charge};"
                        " earlier it costs nothing."
                    ),
                )
            ),
            {"days": notice, "fee": fee},
        ),
        Rule(
            f"{name}.no_show",
            f"{sentence(article(p.party.noun))} who does not come to {article(record)} is charged {missed};"
            " that is raised when the no-show is recorded.",
        ),
    ]


def _standing(p: Process, rng: random.Random) -> Rule:
    party = p.party.noun
    return Rule(
        f"{p.record.name}.standing",
        rng.choice(
            (
                (f"No new {p.noun} is entered for {article(party)} whose standing is suspended."),
                f"{sentence(article(party))} in suspended standing gets no new {p.noun}.",
            )
        ),
    )


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}[number]
