"""Stated limits: which of the numbers that a sentence states are rules of which process."""

from __future__ import annotations

from synthesis.procedural.business.model import Business, Process
from synthesis.procedural.sentence.inflection import plural, singular
from synthesis.procedural.sentence.limits import StatedLimit

_LEAST = {"most": 2, "notice": 1}
_SHAPES = ("hold", "slot", "seat")
"""Shapes of processes that have rules with such numbers: those of what is held before those of places."""
_SEATS = frozenset(("place", "seat", "ticket"))
"""What a record of places has several of."""


def stated_limits(b: Business, p: Process) -> dict[str, StatedLimit]:
    """The limits that the sentence states for a process, by kind: of several of one kind the first."""
    return {limit.kind: limit for limit in reversed(b.limits) if _process_of(b, limit) is p}


def limits_in_rules(b: Business) -> list[StatedLimit]:
    """The limits that became rules, in the order of the processes."""
    return [limit for process in b.processes for limit in stated_limits(b, process).values()]


def span_of(limit: StatedLimit) -> str:
    """How long a stated limit is, in its own unit, with the days that are meant."""
    unit = plural(limit.unit) if limit.number > 1 else limit.unit
    days = f" ({limit.days} days)" if limit.unit != "day" else ""
    return f"{limit.number} {unit}{days}"


def _process_of(b: Business, limit: StatedLimit) -> Process | None:
    """The process that a limit is on: the first one of what is counted, of any where that is not said."""
    if limit.number < _LEAST[limit.kind]:
        return None
    fit = [each for shape in _SHAPES for each in b.processes if each.shape == shape]
    return next((each for each in fit if not limit.noun or _is_counted(limit.noun, each)), None)


def _is_counted(noun: str, p: Process) -> bool:
    """Whether a limit on what is called so is one on the records of a process.

    "No more than 40 berth rentals" cannot be meant by a berth "for boats of up to 40 feet".
    """
    names = [p.subject.noun, p.record.noun, p.object, *([p.item.noun] if p.item else [])]
    if not p.object and p.subject.has("category"):  # then what the sentence names are kinds of the subject
        names += [choice.replace("_", " ") for choice in p.subject.column("category").choices]
    heads = {singular(name).rpartition(" ")[2] for name in names if name}
    return bool((_SEATS if p.shape == "seat" else heads) & set(noun.split()))
