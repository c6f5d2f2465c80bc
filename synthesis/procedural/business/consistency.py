# ruff: noqa: S608 - it writes SQL, from names of its own
"""Consistency: what no rule has to say, such as that nothing is at two places at once, as SQL."""

from __future__ import annotations

from collections.abc import Iterator

from synthesis.documents.policy import RowRule
from synthesis.procedural.business.action_writer import quoted_states
from synthesis.procedural.business.model import Business, BusinessTable, Process


def consistency_of(business: Business) -> tuple[RowRule, ...]:
    """For every kind of record: what its rows must not be, whatever the policy says."""
    return tuple(rule for process in business.processes for rule in _of(business, process))


def _of(b: Business, p: Process) -> Iterator[RowRule]:
    if p.shape == "hold":
        for table in (p.subject, *([p.item] if p.item is not None else [])):
            yield RowRule(
                name=f"{p.record.name}.one_{table.var}_at_a_time", breaches=_held_twice(b, p, table)
            )
    if p.shape == "slot":
        opened = quoted_states(p.open_states)
        yield RowRule(
            name=f"{p.record.name}.one_{p.subject.var}_at_a_time",
            breaches=(
                f"SELECT r.id AS id FROM {p.record.name} r JOIN {p.record.name} o"
                f" ON o.{p.subject.key} = r.{p.subject.key} AND o.id < r.id AND o.starts_on = r.starts_on"
                f" WHERE r.status IN ({opened}) AND o.status IN ({opened})"
                " AND r.from_hour < o.from_hour + o.hours AND o.from_hour < r.from_hour + r.hours"
            ),
        )
    if p.shape == "seat":
        yield RowRule(
            name=f"{p.record.name}.no_more_than_capacity",
            breaches=(
                f"SELECT s.id AS id FROM {p.subject.name} s"
                f" JOIN {p.record.name} r ON r.{p.subject.key} = s.id"
                f" WHERE r.status = '{p.states[1]}' GROUP BY s.id HAVING sum(r.places) > max(s.capacity)"
            ),
        )


def _held_twice(b: Business, p: Process, table: BusinessTable) -> str:
    """Records of the same thing whose periods meet; what is overdue lasts until today."""
    opened, today = quoted_states(p.open_states), b.day(0)
    return (
        f"SELECT r.id AS id FROM {p.record.name} r JOIN {p.record.name} o"
        f" ON o.{table.key} = r.{table.key} AND o.id < r.id"
        f" WHERE r.status IN ({opened}) AND o.status IN ({opened})"
        f" AND r.starts_on <= max(o.ends_on, '{today}') AND o.starts_on <= max(r.ends_on, '{today}')"
    )
