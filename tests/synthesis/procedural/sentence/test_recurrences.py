"""Recurrences: how often something is done, and what only bounds or prices it."""

from __future__ import annotations

import pytest

from synthesis.procedural.sentence.reader import parse
from synthesis.procedural.sentence.recurrences import recurrences_of


def _days(sentence: str) -> list[int]:
    return [limit.days for limit in recurrences_of(parse(sentence).tokens)]


@pytest.mark.parametrize(
    ("sentence", "days"),
    [
        ("A sweep visits houses once a year", 365),
        ("A gutter cleaner cleans gutters twice a year", 182),
        ("A lift company inspects lifts every six months", 180),
        ("A garage checks brakes every 6 weeks", 42),
        ("A pest control firm visits restaurants each month", 30),
        ("A scuba shop tests cylinders every two years", 730),
        ("A pool firm cleans pools weekly", 7),
    ],
)
def test_an_interval_is_read_in_days(sentence: str, days: int) -> None:
    assert _days(sentence) == [days]


@pytest.mark.parametrize(
    "sentence",
    [
        "A library lends books to readers, no more than once a week",
        "A club charges members £5 every month",
        "A shop prints a weekly paper",
        "A baker bakes bread every day",
        "A clinic books two visits a week",
    ],
)
def test_bounds_prices_and_days_are_none(sentence: str) -> None:
    assert _days(sentence) == []


def test_a_noun_that_says_how_is_left_out_of_a_passive() -> None:
    clauses = parse("A library lends drills and ladders; every ladder is safety tested once a year").clauses
    assert [clause.verb for clause in clauses] == ["lend", "test"]
