"""Stated limits: which of the numbers that a sentence states are rules of which process."""

from __future__ import annotations

from collections.abc import Callable

from synthesis.procedural.business.model import Business, Process
from synthesis.procedural.business.proofs import table_of
from synthesis.procedural.composing.wording import snake
from synthesis.procedural.sentence.inflection import lemmas, plural, singular
from synthesis.procedural.sentence.lexicon import verbs
from synthesis.procedural.sentence.limits import StatedLimit

_LEAST = {"most": 2, "longest": 2, "shortest": 2, "within": 2, "wait": 2}
"""By kind of limit: the smallest number, or number of days, that says something; 1 where none stands."""
_LONGEST_MONTHLY = 60
"""Days below which a limit cannot be one of what is rented by the month."""
_LONGEST_AHEAD = 30
_LONGEST_AHEAD_OF_EVENTS = 10
"""Days before an event within which nobody can ask for a place, so that there are events left to ask for."""
_FEWEST_HOURS, _MOST_HOURS = 2, 10
"""Hours of a day that one may have something, as rows and tasks need them."""
_SHAPES = {
    "most": ("hold", "slot", "seat"),
    "notice": ("hold", "slot", "seat"),
    "longest": ("hold",),
    "shortest": ("hold",),
    "ahead": ("hold", "slot", "seat", "supply"),
    "within": ("supply", "work"),
    "wait": ("hold", "slot", "supply", "work"),
    "rate": ("hold", "slot", "supply", "work"),
    "only": ("hold", "slot", "supply", "work"),
    "age": ("hold", "slot", "supply", "work"),
    "proof": ("hold", "slot", "seat", "supply", "work"),
    "recur": ("work",),
    "exempt": ("hold", "slot"),
    "hours": ("slot",),
}
"""By kind of limit, the shapes of processes that have rules with such numbers, the likeliest first."""
_SEATS = frozenset(("place", "seat", "ticket"))
"""What a record of places has several of."""
_RECORDS = frozenset(("booking", "order", "request", "visit", "time", "reservation", "session"))
"""What records may be called whatever their own name is."""
_OF_PEOPLE = ("proof", "exempt")
"""Kinds of limits whose noun is that of people, and not of what is limited."""
_RECURRING = frozenset(
    ("visit", "inspection", "repair", "cleaning", "measurement", "care", "treatment", "collection")
)
"""Patterns of what is done again and again to the same thing, or for the same people."""
_RETURNS = frozenset(("return", "refund", "exchange"))


def stated_limits(b: Business, p: Process) -> dict[str, StatedLimit]:
    """The limits that the sentence states for a process, by kind: of several of one kind the first.

    What lasts longer at the least than at the most cannot be: the longest counts, the shortest is no rule.
    """
    stated: dict[str, StatedLimit] = {
        limit.kind: limit for limit in reversed(b.limits) if _process_of(b, limit) is p
    }
    if "longest" in stated and "shortest" in stated and stated["longest"].days < stated["shortest"].days:
        del stated["shortest"]
    return stated


def limits_in_rules(b: Business) -> list[StatedLimit]:
    """The limits that became rules, in the order of the processes."""
    return [limit for process in b.processes for limit in stated_limits(b, process).values()]


def says_something(limit: StatedLimit) -> bool:
    """Whether a limit is more than what holds anyway, unlike "within a day"."""
    return max(limit.number, limit.days) >= _LEAST.get(limit.kind, 1)


def span_of(limit: StatedLimit) -> str:
    """How long a stated limit is, in its own unit, with the days that are meant."""
    unit = plural(limit.unit) if limit.number > 1 else limit.unit
    days = f" ({limit.days} days)" if limit.unit not in ("day", "night") else ""
    return f"{limit.number} {unit}{days}"


def days_of(number: int) -> str:
    """So many days in words: "1 day", "14 days"."""
    return f"{number} day{'' if number == 1 else 's'}"


def _process_of(b: Business, limit: StatedLimit) -> Process | None:
    """The process that a limit is on: the first one of what is counted, of any where that is not said."""
    if not says_something(limit) or not limit.is_of_somebody:
        return None
    fit = [each for shape in _SHAPES[limit.kind] for each in b.processes if each.shape == shape]
    fit = [each for each in fit if _takes(limit, each)]
    if limit.kind == "exempt":
        fit = [each for each in fit if b.bills(each) and snake(limit.noun) == b.tiers[1]]
    if limit.kind == "only":
        verb = limit.tokens[-1].verb
        fit = fit if snake(limit.noun) == b.tiers[1] else []
        return next((each for each in fit if each.verb == verb), fit[0] if fit else None)
    if limit.kind in _OF_PEOPLE or (not limit.noun and limit.kind not in ("most", "notice")):
        named = [each for word in limit.before for each in fit if _is_named(word, limit, each)]
        fit = [*named, *fit]
    if limit.kind in (*_OF_PEOPLE, "recur"):
        return next(iter(fit), None)
    return next((each for each in fit if not limit.noun or _is_counted(limit, each)), None)


def _is_named(word: str, limit: StatedLimit, p: Process) -> bool:
    """Whether a word in front of a limit speaks of a process, of what it is about or what is done."""
    done = limit.kind in ("proof", "recur") and word.startswith(p.verb.partition(" ")[0])
    return done or singular(word) in _heads(p)


def _takes(limit: StatedLimit, p: Process) -> bool:
    """Whether the rules of a process have room for a limit of such a length."""
    if limit.kind == "within" and p.shape == "supply":
        return any(singular(word) in _RETURNS for word in limit.before)
    if limit.kind in ("longest", "shortest") and p.monthly:
        return limit.days >= _LONGEST_MONTHLY
    if limit.kind in _TRAITS:
        return _TRAITS[limit.kind](limit, p)
    if limit.kind == "hours":
        return _FEWEST_HOURS <= limit.number <= _MOST_HOURS
    if limit.kind == "shortest":
        return limit.days <= _LONGEST_AHEAD
    longest = _LONGEST_AHEAD_OF_EVENTS if p.shape in ("seat", "supply") else _LONGEST_AHEAD
    return limit.kind != "ahead" or limit.days <= longest


def _has_proof_of_others(limit: StatedLimit, p: Process) -> bool:
    """Whether a process keeps a requirement, and is not itself how it is met: "have signed a form"."""
    required = limit.proof is not None and not _heads(p).isdisjoint(limit.proof.column.split("_"))
    return not required and table_of(p, limit) is not None


def _is_done_so_often(limit: StatedLimit, p: Process) -> bool:
    """Whether the nearest verb in front of a recurrence is that of a process: "delivers it weekly"."""
    for word in limit.before:
        known = [verb for verb in lemmas(word).get("VERB", ()) if verb in verbs()]
        done = p.verb.partition(" ")[0] in known
        if done or (known and singular(word) not in _heads(p)):
            return done
    return False


_TRAITS: dict[str, Callable[[StatedLimit, Process], bool]] = {
    "age": lambda _, p: p.party.has("born_on"),
    "proof": _has_proof_of_others,
    # no calendar has a time of six months, in which something may begin so often
    "rate": lambda limit, p: limit.units == 1 or p.shape in ("supply", "work"),
    "recur": lambda limit, p: p.pattern in _RECURRING and _is_done_so_often(limit, p),
}
"""By kind of a limit that is no length: whether a process has what it is on, or room for it."""


def _heads(p: Process) -> set[str]:
    """By what a sentence calls the records of a process and what they are about."""
    names = [p.subject.noun, p.record.noun, p.object, *([p.item.noun] if p.item else [])]
    if not p.object and p.subject.has("category"):  # then what the sentence names are kinds of the subject
        names += [choice.replace("_", " ") for choice in p.subject.column("category").choices]
    return {singular(name).rpartition(" ")[2] for name in names if name}


def _is_counted(limit: StatedLimit, p: Process) -> bool:
    """Whether a limit on what it counts is one on the records of a process.

    "No more than 40 berth rentals" cannot be meant by a berth "for boats of up to 40 feet".
    """
    words = set(limit.noun.split())
    if p.shape == "seat" and limit.kind != "ahead":
        return bool(_SEATS & words)
    return bool((_heads(p) | (_RECORDS if limit.kind == "rate" else frozenset())) & words)
