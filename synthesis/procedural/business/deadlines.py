"""Deadlines: in how many days work is due, by its kind where kinds have target days, and by its urgency."""

from __future__ import annotations

import random

from synthesis.procedural.business.model import Business, Process, Row, Rule
from synthesis.procedural.business.recurrence import recurrence_of
from synthesis.procedural.business.stated_limits import days_of, stated_limits

_URGENT = 2
"""Days after which urgent work of any kind is due: no kind is due so soon."""


def drop_target_days(b: Business) -> None:
    """Take the column for target days from kinds of work whose due dates the sentence says."""
    for process in b.processes:
        stated = stated_limits(b, process) if process.shape == "work" else {}
        if "within" in stated or "recur" in stated:
            columns = process.subject.columns
            process.subject.columns = [column for column in columns if column.name != "target_days"]


def due_after(b: Business, p: Process, subject: Row, priority: object) -> int:
    """Days from its entry after which a record is due.

    Args:
        b: The business.
        p: The process of the record.
        subject: The kind of work, or the thing, that it is about.
        priority: Whether it is "urgent" or "normal".
    """
    values = b.rules[f"{p.record.name}.deadline"].values
    if priority == "normal" and "normal" not in values:
        return int(subject["target_days"])
    return values[str(priority)]


def deadline_rules(b: Business, p: Process, rng: random.Random) -> list[Rule]:
    """The rule on due dates: of days that it says itself, or of those of the kind of work."""
    urgent, normal = rng.choice((2, 3)), rng.choice((7, 10, 14))
    stated, name, chosen = stated_limits(b, p), f"{p.record.name}.deadline", rng.randrange(2)
    normal = stated["within"].days if "within" in stated else normal
    urgent = min(urgent, normal - 1)
    if p.subject.has("target_days") and recurrence_of(b, p) is None:
        urgent = _URGENT
        kind = p.subject.noun
        by_kind = (
            f"A new {p.noun} is due after the target days of its {kind}, counted from its opening, and an"
            f" urgent one after {days_of(urgent)}."
        )
        target = (
            f"The due date of a new {p.noun} is as many days ahead as its {kind} has target days, or"
            f" {days_of(urgent)} ahead where it is urgent."
        )
        return [Rule(name, (by_kind, target)[chosen], {"urgent": urgent})]
    either = (
        f"An urgent {p.noun} is due {days_of(urgent)} after it is opened, any other {days_of(normal)} after."
    )
    ahead = (
        f"The due date of a new {p.noun} is {days_of(normal)} ahead, or {days_of(urgent)} ahead where it is"
        " urgent."
    )
    return [Rule(name, (either, ahead)[chosen], {"urgent": urgent, "normal": normal})]
