"""Slot rows: hours of units and of people's days that were booked before the world's first day."""

from __future__ import annotations

from collections import Counter

from synthesis.procedural.business.entry_rules import entry_limits
from synthesis.procedural.business.model import FIRST_HOUR, LAST_HOUR, Process, Row
from synthesis.procedural.business.record_costs import price_of
from synthesis.procedural.business.record_rows import Booked

_SUNDAY = 6
_SLOT_DAYS = ((1, 4), (2, 4), (1, 2), (4,), (2, 7), (1, 4), (4, 7), ())
"""Coming days on which units have bookings, a few days shared by many of them."""


def hours_booked(ledger: Booked, process: Process) -> None:
    """Days of the last and the next two weeks, on each of which every unit has some hours booked."""
    rng, b = ledger.rng, ledger.business
    most = b.value(f"{process.record.name}.hours")
    for number, unit in enumerate(ledger.rows[process.subject.name]):
        coming = _SLOT_DAYS[number % len(_SLOT_DAYS)]
        days = [-rng.randint(6, 16), -rng.randint(1, 5), *((0,) if number % 3 == 0 else ()), *coming]
        for day in (_workday(ledger, each) for each in (days if unit["active"] else days[:2])):
            hour = FIRST_HOUR + (rng.choice((0, 0, 2)) if day > 0 else 1 if day else 0)
            while hour < (LAST_HOUR - 3 if day else FIRST_HOUR + 1):
                wanted = _wanted(ledger, process, unit)
                _slot(ledger, process, day, hour, wanted, most)
                hour += wanted["hours"] + rng.randint(0, 4)


def _workday(ledger: Booked, day: int) -> int:
    """A day so far from today, or one further away where that is a Sunday."""
    sunday = (ledger.business.today.weekday() + day) % 7 == _SUNDAY
    return day + 1 if sunday and day > 0 else day - 1 if sunday and day < 0 else day


def _wanted(ledger: Booked, process: Process, unit: Row) -> Row:
    """What is wanted of a unit: for how many hours, for what and at what price."""
    if process.service is None:
        return {
            process.subject.key: unit["id"],
            "hours": ledger.rng.choice((1, 1, 2)),
            **price_of(process, unit),
        }
    service = ledger.rng.choice(ledger.rows[process.service.name])
    of_service = {process.subject.key: unit["id"], process.service.key: service["id"]}
    return {**of_service, "hours": service["hours"], **price_of(process, service)}


def _slot(ledger: Booked, process: Process, day: int, hour: int, wanted: Row, most: int) -> None:
    b, rng, states = ledger.business, ledger.rng, process.states
    hours = wanted["hours"]
    status = states[0] if day >= 0 else rng.choices(states[2:], (8, 2, 1))[0]
    taken: Counter[int] = Counter()
    for row in ledger.rows[process.record.name]:
        if row["starts_on"] == b.day(day) and row["status"] != states[3]:
            meets = row["from_hour"] < hour + hours and hour < row["from_hour"] + row["hours"]
            # nobody has more hours of a day than is allowed, nor sits in two chairs at once
            taken[row[process.party.key]] += most if meets and process.staffed else row["hours"]
            is_there = row[process.subject.key] == wanted[process.subject.key]
            if meets and is_there:
                return
    party = ledger.party(process, most - hours + 1, taken)
    if taken[party["id"]] + hours > most:
        return
    closed = None if day >= 0 else day - rng.randint(0, 4) if status == states[3] else day
    booked = min(day, 0) - rng.randint(5, 14)
    limits = entry_limits(b, process)
    booked = min(booked, day - limits["ahead"].days) if "ahead" in limits else booked
    ledger.add(
        process.record,
        **{
            process.party.key: party["id"],
            "status": status,
            "booked_on": b.day(booked),
            "starts_on": b.day(day),
            "from_hour": hour,
            **wanted,
            "closed_on": None if closed is None else b.day(closed),
        },
    )
