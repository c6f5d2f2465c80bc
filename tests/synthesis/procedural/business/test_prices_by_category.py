"""Several prices of one thing: each category costs what the sentence says, and a quote rests on it."""

from __future__ import annotations

import pytest

from synthesis.procedural.business.author import compose, understand
from synthesis.verification.checks import CHECKS
from synthesis.verification.proof_context import ProofContext

ROOMS = "A seaside hotel rents 40 rooms at £65 a night for a single and £85 for a double"
PITCHES = "A campsite rents pitches at £18 a night for a tent and £30 for a caravan"
COURTS = "A sports centre books courts at £8 an hour for badminton and £12 an hour for tennis"
BERTHS = "A marina lets berths at £120 a month for dinghies and £300 a month for yachts"


@pytest.mark.parametrize(
    "text", [ROOMS, *(pytest.param(each, marks=pytest.mark.slow) for each in (PITCHES, COURTS, BERTHS))]
)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_world_with_prices_by_category_is_proved(text: str, seed: int) -> None:
    environment = compose(text, seed=seed)
    with ProofContext(environment) as context:
        results = {name: check(context) for name, check in CHECKS.items()}
    assert {name: result.findings for name, result in results.items() if not result.passed} == {}


@pytest.mark.parametrize(
    ("text", "table", "column", "prices"),
    [
        (ROOMS, "rooms", "daily_cents", {"single": 6500, "double": 8500}),
        (PITCHES, "pitches", "daily_cents", {"tent": 1800, "caravan": 3000}),
        (COURTS, "courts", "hourly_cents", {"badminton": 800, "tennis": 1200}),
        (BERTHS, "berths", "monthly_cents", {"dinghy": 12000, "yacht": 30000}),
    ],
)
def test_each_category_costs_what_the_sentence_says(
    text: str, table: str, column: str, prices: dict[str, int]
) -> None:
    environment = compose(text, seed=3)
    rows = environment.seed_data.rows[table]
    assert {row["category"]: row[column] for row in rows} == prices
    assert all(row[column] == prices[row["category"]] for row in rows)
    assert f"{table}.tariff" in {rule.name for rule in environment.policy.row_rules}
    assert all(f"{name} £{cents / 100:.2f}" in environment.policy.text for name, cents in prices.items())
    reading = understand(text, seed=3).reading
    assert reading is not None
    assert reading.unkept == ()


def test_a_quote_is_the_price_of_the_category_for_the_days() -> None:
    environment = compose(ROOMS, seed=3)
    task = next(task for task in environment.tasks.tasks if task.id.startswith("quote"))
    price = next(fact.value for fact in task.answer_facts if fact.type == "money_cents")
    assert "category" in task.instruction
    assert price in {cents * days for cents in (6500, 8500) for days in range(2, 7)}


def test_one_price_is_none_by_category() -> None:
    environment = compose("A hotel rents rooms at £65 a night for a single", seed=3)
    assert not any(rule.name.endswith(".tariff") for rule in environment.policy.row_rules)
