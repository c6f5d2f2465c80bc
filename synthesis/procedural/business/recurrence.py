# ruff: noqa: S608 - it writes SQL, from names of its own
"""Recurrence: work that the sentence says is done "once a year": its rule, its rows, and who is due next."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from synthesis.procedural.business.model import Business, Process, Row, Rule
from synthesis.procedural.business.stated_limits import span_of, stated_limits
from synthesis.procedural.composing.wording import sentence
from synthesis.procedural.sentence.inflection import article
from synthesis.procedural.sentence.limits import StatedLimit

MOST_CHAINS = 18
"""How many things, or people, a world has that something recurs for."""
_LATE, _AHEAD = 16, 40
_EARLIER = 6
"""Days by which what is done regularly was done before or after its due date."""


def recurrence_of(b: Business, p: Process) -> StatedLimit | None:
    """How often the sentence says that the work of a process is done; None where it does not."""
    return stated_limits(b, p).get("recur") if p.shape == "work" else None


def drop_intervals(b: Business) -> None:
    """Take the column for intervals from records whose interval is a rule."""
    for process in b.processes:
        if recurrence_of(b, process) is not None:
            columns = process.record.columns
            process.record.columns = [column for column in columns if column.name != "interval"]


def recurrence_rules(b: Business, p: Process) -> list[Rule]:
    """The rule by which one record follows another; it takes no chance."""
    limit = recurrence_of(b, p)
    if limit is None:
        return []
    name, one, span = p.record.name, article(p.noun), span_of(limit)
    same = f"same {p.party.noun}, same {p.subject.noun}, same {p.amount}, normal priority"
    texts = (
        (
            f"{sentence(p.record.many)} recur. When one is closed, the next one is entered at once: {same},"
            f" due {span} after the day of closing. The other rule on due dates is not for these."
        ),
        (
            f"Whoever closes {one} enters the next one on the same day, due {span} after that day whatever"
            f" else is said of due dates: {same}."
        ),
    )
    breaches = (
        f"SELECT r.id AS id FROM {name} r WHERE r.status = '{p.states[2]}' AND NOT EXISTS (SELECT 1 FROM"
        f" {name} n WHERE n.{p.party.key} = r.{p.party.key} AND n.{p.subject.key} = r.{p.subject.key}"
        " AND n.id <> r.id AND n.opened_on >= r.closed_on)"
    )
    return [Rule(f"{name}.recur", texts[b.style.mood % 2], {"days": limit.days}, breaches)]


@dataclass(frozen=True)
class RecurringRecord:
    """One of the records that follow each other.

    Attributes:
        opened: Day on which it was entered, from today.
        due: Day on which it is due, from today.
        closed: Day on which it was closed, from today; None of the last one.
    """

    opened: int
    due: int
    closed: int | None


def chain(days: int, number: int, rng: random.Random) -> Iterator[RecurringRecord]:
    """The records of one thing: two that were closed, each opened when the one before was, and one to come.

    Args:
        days: Days between two of them.
        number: Which thing it is; some are overdue, some due soon.
        rng: Where choices come from.
    """
    ahead = rng.randint(-_LATE, -1) if number % 4 == 1 else rng.randint(1, min(_AHEAD, days - 1))
    last = max(min(ahead - days, -1), -days - _LATE)
    before = last - days + rng.randint(-min(_EARLIER, days // 4), min(_EARLIER, days // 4))
    first = before - days
    yield RecurringRecord(first, before + rng.randint(0, 1), before)
    yield RecurringRecord(before, before + days, last)
    yield RecurringRecord(last, last + days, None)


def chains_of(
    parties: Sequence[Row], subjects: Sequence[Row], owner: str, *, each: bool
) -> list[tuple[int, Row]]:
    """For whom and on what something recurs: each thing for its owner, or something for each person.

    Args:
        parties: Those who are served, in good standing.
        subjects: What the work is about.
        owner: The column of a subject with the key of its owner; "" where it has none.
        each: Whether the subjects are the business's own things, for each of which it recurs once.
    """
    if owner:
        return [(subject[owner], subject) for subject in subjects[:MOST_CHAINS]]
    if each:
        return [
            (parties[number % len(parties)]["id"], subject)
            for number, subject in enumerate(subjects[:MOST_CHAINS])
        ]
    return [
        (party["id"], subjects[number % len(subjects)]) for number, party in enumerate(parties[:MOST_CHAINS])
    ]
