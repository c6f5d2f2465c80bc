"""Numbers that an answer gives by name: what their commas mean."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.structured import fits


def _fact(kind: str, value: Any) -> AnswerFact:
    return AnswerFact.model_validate({"name": "total", "type": kind, "value": value})


@pytest.mark.parametrize(
    ("written", "cents"),
    [
        ("60,00", 6000),
        ("-60,00", -6000),
        ("1,234.50", 123_450),
        ("1.234,50", 123_450),
        ("1,234,567.00", 123_456_700),
        ("60.00", 6000),
        ("EUR 60,00", 6000),
    ],
)
def test_a_comma_is_between_thousands_or_before_two_decimals(written: str, cents: int) -> None:
    assert fits(_fact("money_cents", cents), written)


@pytest.mark.parametrize(
    ("written", "number"),
    [("60,00", 6000), ("6,0", 60), ("1,2,3", 123), ("12,345,67", 1_234_567), ("1,0000", 10_000), ("60,", 60)],
)
def test_other_commas_never_vanish(written: str, number: int) -> None:
    assert not fits(_fact("number", number), written)
    assert not fits(_fact("money_cents", number * 100), written)


def test_thousands_may_be_set_apart_or_not() -> None:
    assert fits(_fact("number", 1_234), "1,234")
    assert fits(_fact("number", 1_234), "1234")
    assert not fits(_fact("number", 1.234), "1,234")


@pytest.mark.parametrize(
    ("written", "number"), [("1,00,000", 100_000), ("12,34,567", 1_234_567), ("1,23,45,678.00", 12_345_678)]
)
def test_lakhs_may_be_set_apart(written: str, number: int) -> None:
    assert fits(_fact("number", number), written)
    assert fits(_fact("money_cents", number * 100), written)
