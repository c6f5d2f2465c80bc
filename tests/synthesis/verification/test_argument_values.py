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
