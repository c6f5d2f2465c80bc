"""Chasing: what is followed up when it is late, charges or, where nothing is billed, records."""

from __future__ import annotations

from dataclasses import dataclass

from synthesis.procedural.business.model import Business, BusinessTable, Process

_DUE = {"hold": "ends_on", "supply": "due_on", "work": "due_on"}
"""By shape: the column with the day after which a record is late."""


@dataclass(frozen=True)
class Chased:
    """Rows that are followed up."""

    table: BusinessTable
    due: str
    """The column with the day after which a row is late."""
    states: tuple[str, ...]
    """In which of its states a row can be late."""
    notice: str
    """The kind of notice that is sent."""


def chased_of(business: Business) -> Process | None:
    """The process whose records are followed up where nothing is billed; None where none has a day."""
    if business.has_charges:
        return None
    own = [each for each in business.processes if each.shape in _DUE and each.party is business.party]
    return next(iter(sorted(own, key=lambda each: each.shape != "hold")), None)


def chased_in(business: Business) -> Chased | None:
    """What is followed up in a business when it is late."""
    if business.has_charges:
        return Chased(business.charge, "due_on", ("open",), "overdue")
    process = business.chased
    if process is None:
        return None
    held = process.shape == "hold"
    states = process.states[1:2] if held else process.open_states
    return Chased(process.record, _DUE[process.shape], states, "overdue" if held else "delay")


def doubled_in(business: Business) -> Process | None:
    """Where nothing is billed: the process with records that were entered twice; None without one."""
    if business.has_charges:
        return None
    return next((each for each in business.processes if each.shape in ("supply", "work")), None)
