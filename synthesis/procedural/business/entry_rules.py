# ruff: noqa: S608 - it writes SQL, from names of its own
"""Entry rules: what a sentence states of new records, how long, how far ahead, how soon again, how often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from synthesis.procedural.business.model import Business, Process, Row, Rule
from synthesis.procedural.business.proofs import has_proof, relative_of, table_of
from synthesis.procedural.business.stated_limits import span_of, stated_limits
from synthesis.procedural.composing.wording import sentence
from synthesis.procedural.sentence.inflection import article
from synthesis.procedural.sentence.limits import StatedLimit

ENTRY_KINDS = ("longest", "shortest", "ahead", "wait", "rate", "only", "age", "proof")
"""Kinds of stated limits that say what new records there may be."""
_DAY = {"hold": "starts_on", "slot": "starts_on", "supply": "placed_on", "work": "opened_on"}
"""By shape: the column with the day that counts."""


_DUE = {"supply": "due_on"}
"""By shape: the column with the day that has to be so far ahead; that on which something starts of others."""


def entry_limits(b: Business, p: Process) -> dict[str, StatedLimit]:
    """What the sentence states of new records of a process, by kind; of places only who gets them."""
    kinds = ENTRY_KINDS if p.shape != "seat" else ("proof",)
    return {kind: limit for kind, limit in stated_limits(b, p).items() if kind in kinds}


def entry_rules(b: Business, p: Process) -> Iterator[Rule]:
    """The rules of the policy that say so; they take no chance: a world without any stays as it is."""
    name = p.record.name
    for kind, limit in entry_limits(b, p).items():
        texts, breaches = _TEXTS[kind](b, p, limit), _breaches(kind, p, limit)
        values = {"days": limit.days} if limit.days else {}
        values |= {"n": limit.number} if kind in ("rate", "age") else {}
        yield Rule(f"{name}.{kind}", texts[b.style.mood % 2], values, breaches)


def _breaches(kind: str, p: Process, limit: StatedLimit) -> str:
    table, required = p.record.name, table_of(p, limit)
    if required is not None and limit.proof is not None:
        return (
            f"SELECT r.id AS id FROM {table} r JOIN {required.name} q ON q.id = r.{required.key}"
            f" WHERE q.{limit.proof.column} = 0"
        )
    length = "julianday(ends_on) - julianday(starts_on)"
    entered = "placed_on" if p.shape == "supply" else "booked_on"
    where = {
        "longest": f"extensions = 0 AND {length} > {limit.days}",
        "shortest": f"extensions = 0 AND {length} < {limit.days}",
        "ahead": f"julianday({_DUE.get(p.shape, 'starts_on')}) - julianday({entered}) < {limit.days}",
    }.get(kind)
    return f"SELECT id FROM {table} WHERE {where}" if where else ""


def _longest(_: Business, p: Process, limit: StatedLimit) -> tuple[str, str]:
    more = f" Only when {article(p.noun)} is extended may it go on beyond that."
    return (
        f"{sentence(article(p.noun))} ends {span_of(limit)} after its first day at the latest.{more}",
        f"No {p.noun} is entered for longer than {span_of(limit)} from its first day to its last.{more}",
    )


def _shortest(_: Business, p: Process, limit: StatedLimit) -> tuple[str, str]:
    return (
        f"{sentence(article(p.noun))} ends {span_of(limit)} after its first day at the earliest.",
        f"No {p.noun} is entered for less than {span_of(limit)} from its first day to its last.",
    )


def _ahead(_: Business, p: Process, limit: StatedLimit) -> tuple[str, str]:
    if p.shape == "supply":
        return (
            f"{sentence(article(p.noun))} is placed at least {span_of(limit)} before its due date.",
            f"No {p.noun} is entered that is due sooner than {span_of(limit)} from the day of entry.",
        )
    return (
        f"{sentence(article(p.noun))} is entered at least {span_of(limit)} before its first day.",
        f"No {p.noun} is entered that begins sooner than {span_of(limit)} from the day of entry.",
    )


def _wait(_: Business, p: Process, limit: StatedLimit) -> tuple[str, str]:
    party, record, span = p.party.noun, p.noun, span_of(limit)
    since = _SINCE.format(cancelled=_uncounted(p))
    if p.shape == "hold":
        first = (
            f"Between two {p.record.many} of one {party} there are at least {span}, from the last day of one"
            " to the first day of the next."
        )
        second = (
            f"{sentence(article(party))} gets no new {record} that begins less than {span} after the last day"
            " of another one of theirs, or ends as shortly before its first."
        )
    else:
        verb = {"slot": "is for a day", "supply": "is placed", "work": "is opened"}[p.shape]
        first = f"A new {record} for the same {party} {verb} {span} after the last one at the earliest."
        second = f"{sentence(article(party))} gets no new {record} less than {span} after the last one."
    return f"{first} {since}", f"{second} {since}"


def _rate(_: Business, p: Process, limit: StatedLimit) -> tuple[str, str]:
    party, many = p.party.noun, p.record.many if limit.number > 1 else p.noun
    since = _SINCE.format(cancelled=_uncounted(p))
    if p.shape in ("hold", "slot"):
        period = {"week": "calendar week, Monday to Sunday", "day": "day"}.get(
            limit.unit, f"calendar {limit.unit}"
        )
        first = f"{sentence(article(party))} has at most {limit.number} {many} that begin in one {period}."
        second = f"No more than {limit.number} {many} of one {party} begin in the same {period}."
    else:
        span = "on one day" if limit.days == 1 else f"within {limit.days} days, today included"
        first = f"{sentence(article(party))} gets at most {limit.number} {many} {span}."
        second = f"No {party} gets more than {limit.number} {many} {span}."
    return f"{first} {since}", f"{second} {since}"


def _age(_: Business, p: Process, limit: StatedLimit) -> tuple[str, str]:
    since = "The rule is new: what was entered before today stays as it is."
    return (
        f"No new {p.noun} is entered for {article(p.party.noun)} under {limit.number} years of age. {since}",
        (
            f"{sentence(article(p.party.noun))} must be at least {limit.number} years old on the day on which"
            f" {article(p.noun)} is entered. {since}"
        ),
    )


def _only(b: Business, p: Process, _: StatedLimit) -> tuple[str, str]:
    tier = b.tiers[1].replace("_", " ")
    since = "The rule is new: what was entered before today stays as it is."
    return (
        f"Only {p.party.many} whose tier is {tier} get a new {p.noun}. {since}",
        f"No new {p.noun} is entered for {article(p.party.noun)} whose tier is not {tier}. {since}",
    )


def _proof(_: Business, p: Process, limit: StatedLimit) -> tuple[str, str]:
    table, proof = table_of(p, limit), limit.proof
    assert table is not None
    assert proof is not None
    shown = f"what the record shows under {proof.column} decides"
    one = article(table.noun)
    denied, so = (f"{one} {relative_of(table)} {each}" for each in (proof.denied, proof.affirmed))
    if table is p.party:
        return (
            f"No new {p.noun} is entered for {denied}; {shown}.",
            f"Only {table.many} {relative_of(table)} {proof.plural} get a new {p.noun}; {shown}.",
        )
    return (
        f"No new {p.noun} is entered with {denied}; {shown}.",
        f"{sentence(article(p.noun))} is only entered with {so}; {shown}.",
    )


_SINCE = (
    "The rule is new: what was entered before today stays as it is, and counts; what is {cancelled} does not."
)
_TEXTS = {
    "longest": _longest,
    "shortest": _shortest,
    "ahead": _ahead,
    "wait": _wait,
    "rate": _rate,
    "only": _only,
    "age": _age,
    "proof": _proof,
}


def _uncounted(p: Process) -> str:
    """In which state a record does not count: it was called off."""
    return p.states[2 if p.shape == "supply" else 3].replace("_", " ")


def verdict(
    b: Business, p: Process, kind: str, party: Row, others: list[Row], wanted: Mapping[str, Any]
) -> bool | None:
    """Whether a limit allows a new record.

    Args:
        b: The business.
        p: The process of the record.
        kind: Of `ENTRY_KINDS`, one that is stated.
        party: Who would get it.
        others: All records of the same party.
        wanted: Columns of the new record: `starts_on` and `ends_on` where it has them; `thing` is the row of
            what somebody brings.

    Returns:
        None where people could read the rule in two ways.
    """
    limit = entry_limits(b, p)[kind]
    if kind == "proof":
        asked = party if table_of(p, limit) is p.party else wanted.get("thing")
        return asked is None or has_proof(limit, asked)
    if kind in ("only", "age"):
        return _is_entitled(b, kind, limit, party)
    if kind in ("ahead", "longest", "shortest"):
        return _is_in_time(b, kind, limit, wanted)
    counted = [row for row in others if row["status"].replace("_", " ") != _uncounted(p)]
    if kind == "wait" and p.shape == "hold":
        return all_allowed(_far_enough(b, limit, row, wanted) for row in counted)
    day = wanted["starts_on"] if p.shape in ("hold", "slot") else b.day(0)
    days = [row[_DAY[p.shape]] for row in counted]
    if kind == "rate":
        return _within_rate(p, limit, days, day)
    return all(abs(_between(other, day)) >= limit.days for other in days)


def _is_entitled(b: Business, kind: str, limit: StatedLimit, party: Row) -> bool:
    if kind == "only":
        return bool(party["tier"] == b.tiers[1])
    return _years(party["born_on"], b.today) >= limit.number


def _is_in_time(b: Business, kind: str, limit: StatedLimit, wanted: Mapping[str, Any]) -> bool:
    first = wanted.get("starts_on", wanted.get("due_on", ""))
    if kind == "ahead":  # where no day is wanted, it is far enough ahead
        return not first or _between(b.day(0), first) >= limit.days
    length = _between(first, wanted["ends_on"])
    return length <= limit.days if kind == "longest" else length >= limit.days


def _years(born: str, today: date) -> int:
    """How old somebody is."""
    at = date.fromisoformat(born)
    return today.year - at.year - ((today.month, today.day) < (at.month, at.day))


def _between(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def _within_rate(p: Process, limit: StatedLimit, days: list[str], day: str) -> bool | None:
    if p.shape in ("hold", "slot"):
        return sum(_period(other, limit.unit) == _period(day, limit.unit) for other in days) < limit.number
    sure = sum(_between(other, day) < limit.days - 1 for other in days)
    perhaps = sum(_between(other, day) <= limit.days for other in days)
    return True if perhaps < limit.number else False if sure >= limit.number else None


def _period(day: str, unit: str) -> tuple[int, ...]:
    """The calendar week, month, year or day that a day is in."""
    at = date.fromisoformat(day)
    if unit == "week":
        return tuple(at.isocalendar())[:2]
    return {"year": (at.year,), "month": (at.year, at.month)}.get(unit, (at.year, at.month, at.day))


def _far_enough(b: Business, limit: StatedLimit, row: Row, wanted: Mapping[str, Any]) -> bool | None:
    """Whether enough days lie between a record and the new one, by the day it ended or was to end."""
    ends = {row["ends_on"], row["closed_on"] or max(row["ends_on"], b.day(0))}
    gaps = [
        max(_between(end, wanted["starts_on"]), _between(wanted["ends_on"], row["starts_on"])) for end in ends
    ]
    return True if min(gaps) > limit.days else False if max(gaps) < limit.days - 1 else None


def all_allowed(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all of some verdicts allow something; None where one that can be read in two ways decides."""
    read = set(verdicts)
    return False if False in read else None if None in read else True
