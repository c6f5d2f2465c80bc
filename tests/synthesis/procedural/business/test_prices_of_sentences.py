"""Prices that a sentence states are those of its world, and what they cannot be of is reported."""

from __future__ import annotations

import pytest

from synthesis.documents.environment import Environment
from synthesis.procedural.business.author import compose, understand
from synthesis.procedural.business.plan import plan
from synthesis.procedural.sentence.reader import parse
from synthesis.procedural.sentence.stated_prices import prices_of
from synthesis.procedural.sentence.tokens import tokens_of


def _composed(sentence: str) -> Environment:
    return compose(sentence, seed=1)


@pytest.mark.parametrize(
    ("text", "cents", "unit", "is_late"),
    [
        ("late returns cost 50p a day", 50, "day", True),
        ("rents boards at £15 an hour", 1500, "hour", False),
        ("a mooring costs £2.80 a night", 280, "day", False),
        ("a place costs $1,250.50", 125_050, "", False),
        ("charges £1 for each day overdue", 100, "day", True),
        ("tickets cost eight pounds each", 800, "", False),
        ("£2.80 per metre per night", 280, "several", False),
        ("soup costs £2.5 a litre", 250, "litre", False),
        ("a place costs 1,50 euros", 150, "", False),
        ("a place costs 2.5 euros", 250, "", False),
        ("a boat costs £1.250,80 a month", 125_080, "month", False),
        ("a boat costs £20 a day and late ones pay £5 a day", 2000, "day", False),
    ],
)
def test_amounts_and_units_are_read(text: str, cents: int, unit: str, *, is_late: bool) -> None:
    price = next(prices_of(tokens_of(text)))
    assert (price.cents, price.unit, price.is_late) == (cents, unit, is_late)


@pytest.mark.parametrize("text", ["£1.2.3", "£1,234,50", "£1.2345", "£5k"])
def test_what_is_no_amount_is_no_price(text: str) -> None:
    assert not [*prices_of(tokens_of(f"a place costs {text} a day"))]


@pytest.mark.parametrize(("amount", "cents"), [("£2.50", 250), ("£1,250.5", 125_050), ("30 euros", 3000)])
def test_a_deposit_is_as_much_as_the_sentence_says(amount: str, cents: int) -> None:
    (process,) = plan(parse(f"A shop lends bikes and takes a deposit of {amount}.")).processes
    assert process.deposit == cents


def test_a_price_of_one_thing_is_not_that_of_another() -> None:
    planned = plan(parse("A shop sells tents and lends stoves; a tent is £80 a day.")).processes
    assert not any(process.price_cents for process in planned)


@pytest.mark.parametrize(
    ("sentence", "costs"),
    [
        ("A tool library lends drills to members; late returns cost 50p a day.", "£0.50"),
        ("A library lends books to readers and charges a fine of 20p a day for late returns.", "£0.20"),
    ],
)
def test_days_after_the_end_cost_what_the_sentence_says(sentence: str, costs: str) -> None:
    environment = _composed(sentence)
    assert environment.policy is not None
    assert f" {costs}" in environment.policy.text
    assert "% of its price per day" not in environment.policy.text
    charges = [
        row
        for seed in (1, 2, 3)
        for rows in compose(sentence, seed=seed).seed_data.rows.values()
        for row in rows
        if {"due_on", "kind"} <= set(row)
    ]
    late = [row["amount_cents"] for row in charges if str(row["kind"]).startswith("late")]
    assert late
    assert all(int(str(amount)) % int(costs[-2:]) == 0 for amount in late)
    reading = understand(sentence, seed=1).reading
    assert reading is not None
    assert not reading.left_out
    assert not any(table.name in ("costs", "lates") for table in environment.schema.tables)


@pytest.mark.parametrize(
    ("sentence", "table", "column", "least"),
    [
        ("A tennis club lets courts for €12 an hour to members.", "courts", "hourly_cents", 1200),
        (
            "A marina lets moorings by the night; a mooring costs £25 a night.",
            "moorings",
            "daily_cents",
            2500,
        ),
        ("A surf school runs lessons for beginners that cost £30 each.", "lessons", "price_cents", 3000),
        ("A mill presses apples for 35p a litre.", "apples", "unit_price_cents", 35),
        ("A farm shop sells eggs at 30p each and honey at £6 a jar.", "honeys", "unit_price_cents", 600),
    ],
)
def test_units_cost_what_the_sentence_says(sentence: str, table: str, column: str, least: int) -> None:
    environment = _composed(sentence)
    known = environment.seed_data.rows
    rows = known.get(table) or known[table.removesuffix("s")]
    assert min(int(str(row[column])) for row in rows) == least
    reading = understand(sentence, seed=1).reading
    assert reading is not None
    assert not reading.unkept


@pytest.mark.parametrize(
    ("sentence", "is_kept"),
    [
        ("A society rents plots to members at £42 a year.", False),
        ("A society rents plots to members at £30 a month.", True),
        ("A society rents plots to members at £31 a month.", False),
    ],
)
def test_what_is_let_for_months_is_a_tenancy(sentence: str, *, is_kept: bool) -> None:
    environment = _composed(sentence)
    assert any(table.name == "plot_tenancies" for table in environment.schema.tables)
    reading = understand(sentence, seed=1).reading
    assert reading is not None
    assert (reading.unkept == ()) is is_kept


def test_a_price_of_nothing_that_is_kept_is_reported() -> None:
    reading = understand("A studio repairs radios and charges £4 per kilometre for travel.", seed=1).reading
    assert reading is not None
    assert any("£4 per kilometre" in rule for rule in reading.unkept)
