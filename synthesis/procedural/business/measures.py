"""Measures: in what units of one kind differ, for how many people a room is and how long a berth is."""

from __future__ import annotations

import random

from synthesis.procedural.business.model import BusinessColumn, BusinessTable, Row
from synthesis.procedural.business.word_lists import word_list

_FOR_PEOPLE = frozenset(word_list("for_people"))
_IN_METRES = frozenset(word_list("in_metres"))
_COLUMNS = {
    "capacity": BusinessColumn("capacity", "count", about="number of people"),
    "length_m": BusinessColumn("length_m", "count", about="length in metres"),
}
_RANGES = {"capacity": (2, 12), "length_m": (4, 16)}


def measure_of(noun: str) -> str:
    """The column in which things of that name are measured; "" of those that are only of some category."""
    last = noun.rpartition(" ")[2]
    return "length_m" if last in _IN_METRES else "capacity" if last in _FOR_PEOPLE else ""


def measure_columns(noun: str) -> list[BusinessColumn]:
    """The column of that measure; none where there is no such measure."""
    measure = measure_of(noun)
    return [_COLUMNS[measure]] if measure else []


def measured_by(table: BusinessTable) -> str:
    """The measure that a table has; "" where it has none."""
    measure = measure_of(table.noun)
    return measure if measure and table.has(measure) else ""


def measured(table: BusinessTable, rng: random.Random) -> Row:
    """What one row of a table measures, by column; nothing where it has no measure."""
    measure = measured_by(table)
    return {measure: rng.randint(*_RANGES[measure])} if measure else {}
