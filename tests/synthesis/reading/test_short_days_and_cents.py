import pytest

from synthesis.reading.tokens import tokens


def values(text: str, name: str) -> set[object]:
    return set().union(*(token.values.get(name, frozenset()) for token in tokens(text)))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 13/03, 8-10 a.m.", {"0000-03-13"}),
        ("03/13 at noon", {"0000-03-13"}),
        ("| 04/05 |", {"0000-05-04", "0000-04-05"}),
        ("10/12 places are taken", set()),
        ("3/10 of them", set()),
        ("open 24/7", set()),
        ("31/02", set()),
        ("30/13", set()),
        ("1/2026", set()),
        ("29/10/2026", {"2026-10-29"}),
    ],
)
def test_a_day_and_a_month_with_a_slash_are_a_date_where_they_are_no_share(text: str, days: set[str]) -> None:
    assert values(text, "date") == days
    if not days:
        assert values(text, "number")


@pytest.mark.parametrize(
    ("text", "cents", "numbers"),
    [
        ("fifty-three euros and fifty-three cents (53.53)", {5353}, {53.53}),
        ("twelve pounds and five pence", {1205}, {12.05}),
        ("53 euros and 53 cents", {5353}, {53.53}),
        ("53 euros 7 cents", {5307}, {53.07}),
        ("two thousand dollars and one cent", {200001}, {2000.01}),
        ("53 euros and 5 pens", {5300}, {53, 5}),
        ("from 32 to 36 cents", {36}, {32}),
        ("53.10 euros and 20 cents", {5310, 20}, {53.1}),
    ],
)
def test_an_amount_and_its_cents_in_words_are_one(text: str, cents: set[int], numbers: set[float]) -> None:
    assert values(text, "money_cents") == cents
    assert values(text, "number") == numbers
