"""Moments: what days of a row say of its state, and how they lie to those of the rows that it refers to."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from synthesis.procedural.composing.wording import words
from synthesis.procedural.derived.field_values import HOURS
from synthesis.procedural.derived.flow import happened
from synthesis.procedural.derived.identifiers import split_words
from synthesis.procedural.derived.relation import Field, Relation, Value

_BEGUN = re.compile(r"\b(joined|created|registered|opened|hired|founded|since|established|added)\b")
"""Columns of a row from which on others can refer to it."""
_PLANNED = re.compile(r"^(starts?|start|begins?|begin|departs?|departure|kick off)\b")
"""Columns with the time of what people come to."""
_ENTERED = re.compile(r"\b(booked|reserved|registered|signed up|enrolled|created|requested|ordered)\b")
"""Columns with the time at which they said that they would."""
_BORN = re.compile(r"\b(birth|dob|born|birthday)\b")
_TIMED = ("day", "moment")
_LONGEST_AHEAD = 20
"""Days by which people book ahead at most."""


def states_with(relation: Relation, field: Field) -> frozenset[str]:
    """The states in which a row has a value in a column that says when it got into one of them.

    These are that state and those that are reached from it, since what is delivered was shipped; of "frozen
    until" that state alone. Empty where the column is of no state.
    """
    if relation.state is None or field.kind not in _TIMED or not field.nullable:
        return frozenset()
    named = {happened(field), field.words.partition(" ")[0]}
    own = next((str(v) for v in relation.state.values if words(str(v)).lower() in named), "")
    reached = {own} - {""}
    if "until" in field.words.split():
        return frozenset(reached)
    for _ in relation.flow:
        reached |= {state for state, sources in relation.flow if reached & {*sources}}
    return frozenset(reached)


def is_of_nobody(relation: Relation, field: Field, row: Mapping[str, Value]) -> bool:
    """ "rented until": whether a day goes with a reference, "rented to", that a row has not."""
    done = field.words.partition(" ")[0]
    if field.kind not in _TIMED or not field.nullable or not done.endswith("ed"):
        return False
    whose = [each for each in relation.refs if each.nullable and split_words(each.column)[:1] == [done]]
    return any(each.column in row and row[each.column] is None for each in whose)


def in_time(
    field: Field,
    value: Value,
    parents: Iterable[tuple[Relation, Mapping[str, Value]]],
    clock: datetime,
    rng: random.Random,
) -> Value:
    """A day or moment that is not before the rows which a row refers to were there, nor after what it is for.

    Args:
        field: The column.
        value: What was drawn.
        parents: The rows that the row refers to.
        clock: The world's time.
        rng: Where chance comes from.
    """
    if field.kind not in _TIMED or not isinstance(value, str) or _BORN.search(field.words):
        return value
    moment, last, known = datetime.fromisoformat(value), clock, list(parents)
    first = max(_moments(known, _BEGUN), default=moment)
    planned = min(_moments(known, _PLANNED), default=None) if _ENTERED.search(field.words) else None
    if planned is not None and moment > planned:
        first, last = max(first, planned - timedelta(days=_LONGEST_AHEAD)), planned
    elif moment >= first:
        return value
    last = max(first, last)
    moment = first + (last - first) * rng.random()
    if field.kind == "day":
        return moment.date().isoformat()
    moment = moment.replace(second=0, microsecond=0)
    at_work = moment.replace(hour=rng.choice(HOURS), minute=rng.choice((0, 15, 30, 45)))
    moment = at_work if first <= at_work <= last else max(first, moment)
    moment = max(first, moment.replace(hour=0, minute=0)) if field.at_midnight else moment
    return moment.isoformat(sep=field.separator)


def _moments(
    parents: list[tuple[Relation, Mapping[str, Value]]], named: re.Pattern[str]
) -> Iterable[datetime]:
    for relation, row in parents:
        for field in relation.fields:
            value = row.get(field.column)
            if field.kind in _TIMED and isinstance(value, str) and named.search(field.words):
                try:
                    yield datetime.fromisoformat(value)
                except ValueError:
                    continue
