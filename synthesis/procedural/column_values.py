# ruff: noqa: ARG002 - every kind of column is drawn through the same two arguments
"""ColumnValues: plausible values for one column, from the environment's vocabulary and clock."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta

from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.entity import Column
from synthesis.procedural.wording import snake

Value = int | str | None
Row = dict[str, Value]
HOURS = (8, 9, 10, 11, 13, 14, 15, 16, 17)


class ColumnValues:
    """Draws values for columns.

    Args:
        made: The blueprint whose vocabulary and clock are used.
        rng: Where chance comes from.
    """

    def __init__(self, made: Blueprint, rng: random.Random) -> None:
        self.made, self.rng = made, rng
        self.labels: dict[str, list[str]] = {}
        self._last_names = rng.sample(made.vocabulary["last_names"], 24)

    def value(self, column: Column, row: Row) -> Value:
        """One value for a column that refers to nothing; `row` holds what is known by column key."""
        drawn = getattr(self, f"_{column.kind}")(column, row)
        assert drawn is None or isinstance(drawn, int | str)
        return drawn

    def _choice(self, column: Column, row: Row) -> Value:
        values = column.spec.values or self.made.vocabulary[column.spec.source]
        weights = column.spec.weights or [1] * len(values)
        return self.rng.choices(list(values), list(weights))[0]

    def _count(self, column: Column, row: Row) -> Value:
        if column.spec.values:
            return self.rng.choice(column.spec.values)
        low, high = column.spec.span
        return self.rng.randrange(low, high + 1, column.spec.step)

    def _money(self, column: Column, row: Row) -> Value:
        low, high = column.spec.span
        step = max(column.spec.step, 50)
        return max(low, self.rng.randint(low, high) // step * step)

    def _flag(self, column: Column, row: Row) -> Value:
        return int(self.rng.random() < column.spec.chance)

    def _day(self, column: Column, row: Row) -> Value:
        return self._moment_of(column, row).date().isoformat()

    def _moment(self, column: Column, row: Row) -> Value:
        if column.spec.after and column.spec.minutes:
            start = datetime.fromisoformat(str(row[column.spec.after]))
            return (start + timedelta(minutes=self.rng.choice(column.spec.minutes))).isoformat()
        moment = self._moment_of(column, row)
        if moment.date() == self.made.clock.date() and not row.get("status"):
            moment = self.made.clock.replace(minute=0) - timedelta(hours=1)
        return moment.isoformat()

    def _moment_of(self, column: Column, row: Row) -> datetime:
        spec = column.spec
        low, high = spec.spans.get(str(row.get("status")), spec.span)
        start = self.made.clock
        if spec.after and row.get(spec.after):
            start = datetime.fromisoformat(str(row[spec.after])[:10])
        day = start + timedelta(days=self.rng.randint(low, high))
        if column.kind == "moment" and day.weekday() == 6:
            day += timedelta(days=1 if low >= 0 else -1)
        if spec.when and spec.after:
            day = min(day, self.made.clock)
        return day.replace(hour=self.rng.choice(HOURS), minute=self.rng.choice((0, 0, 30)), second=0)

    def _label(self, column: Column, row: Row) -> Value:
        source = column.spec.source or column.key
        if source == "full_names":
            return f"{self._first_name(column, row)} {self._last_name(column, row)}"
        return self._unused(source)

    def _unused(self, source: str) -> str:
        """A label from a list, each once; the list goes round with a number when it is spent."""
        if source not in self.labels:
            known = list(self.made.vocabulary[source])
            self.rng.shuffle(known)
            rounds = [*known, *(f"{name} {n}" for n in ("II", "III", "IV") for name in known)]
            self.labels[source] = rounds[::-1]
        return self.labels[source].pop()

    def _text(self, column: Column, row: Row) -> Value:
        return self.rng.choice(self.made.vocabulary[column.spec.source])

    def _first_name(self, column: Column, row: Row) -> str:
        return self.rng.choice(self.made.vocabulary["first_names"])

    def _last_name(self, column: Column, row: Row) -> str:
        return self.rng.choice(self._last_names)

    def _company(self, column: Column, row: Row) -> Value:
        return f"{self._unused('company_stems')} {self.rng.choice(self.made.vocabulary['company_kinds'])}"

    def _city(self, column: Column, row: Row) -> Value:
        return self.rng.choice(self.made.vocabulary["cities"])

    def _phone(self, column: Column, row: Row) -> Value:
        return f"555-{self.rng.randint(100, 199):04d}"

    def _email(self, column: Column, row: Row) -> Value:
        if "name" in row:
            box = self.rng.choice(("office", "info", "contact"))
            return f"{box}@{snake(str(row['name'])).replace('_', '-')}.example"
        host = self.rng.choice(("mail", "post", "inbox"))
        return f"{snake(str(row['first_name']))}.{snake(str(row['last_name']))}@{host}.example"

    def _birth_date(self, column: Column, row: Row) -> Value:
        return (self.made.clock - timedelta(days=self.rng.randint(19 * 365, 78 * 365))).date().isoformat()

    def _code(self, column: Column, row: Row) -> Value:
        return f"{column.spec.prefix or 'K'}-{self.rng.randint(10000, 99999)}"


def skewed(rng: random.Random, choices: Sequence[Row]) -> Row:
    """One of the rows, the first ones more often, as customers come back unevenly."""
    weights = [1 / (place + 2) for place in range(len(choices))]
    return rng.choices(list(choices), weights)[0]
