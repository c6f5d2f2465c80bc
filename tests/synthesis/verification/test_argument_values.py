"""Values that probes draw for arguments."""

from __future__ import annotations

import random
from datetime import datetime

import pytest

from synthesis.verification import argument_values
from synthesis.verification.argument_values import ArgumentValues, time_kind


@pytest.mark.parametrize(
    ("name", "description", "kind"),
    [
        ("starts_on", "First day, YYYY-MM-DD.", "day"),
        ("ends_on", "", "day"),
        ("starts", "When it begins.", "moment"),
        ("starts_on", "When, YYYY-MM-DDThh:mm.", "moment"),
        ("name", "", ""),
    ],
)
def test_a_format_that_is_named_decides_between_a_day_and_a_moment(name, description, kind) -> None:
    assert time_kind(name, {"description": description}) == kind


def test_what_is_learned_under_one_name_costs_no_other_name_its_values(monkeypatch) -> None:
    looked_at: list[object] = []
    monkeypatch.setattr(argument_values, "validation_error", lambda _, value: looked_at.append(value))
    values = ArgumentValues(random.Random(0), clock=datetime(2026, 1, 1))
    schema = {"type": "integer"}
    values.learn("crew_id", [1, 2])
    assert values._seen_that_fit("id", schema) == [1, 2]
    values.learn("name", ["Ann"])
    assert values._seen_that_fit("id", schema) == [1, 2]
    assert looked_at == [1, 2]
    values.learn("crew_id", [3])
    assert values._seen_that_fit("id", schema) == [1, 2, 3]
    values.learn("id", [9])
    assert values._seen_that_fit("id", schema) == [9]


@pytest.mark.parametrize("kinds", [3, 50, 61, 200])
def test_values_learned_one_by_one_are_learned_faster_together(kinds: int) -> None:
    generator = random.Random(kinds)
    values = [generator.choice((generator.randrange(kinds), None, "x" * 501, True)) for _ in range(600)]
    one, other = (ArgumentValues(random.Random(0), clock=datetime(2026, 1, 1)) for _ in range(2))
    for value in values:
        one.learn("n", [value])
    other.learn_each("n", values)
    assert one.seen("n") == other.seen("n") != ()
    assert one._learned == other._learned
    one.learn("none", [])
    other.learn_each("none", [])
    assert list(one._seen) == list(other._seen)
