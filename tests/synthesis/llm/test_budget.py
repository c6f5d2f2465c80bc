"""A hard stop in money and in tokens."""

import pytest

from synthesis.documents.trajectory import Usage
from synthesis.errors import BudgetExhausted, InvalidInput
from synthesis.llm.budget import Budget, Budgeted, BudgetLimits
from synthesis.llm.prices import Price, PriceTable
from synthesis.llm.provider import Completion, CompletionRequest, Message
from synthesis.llm.scripted import Scripted

ASK = CompletionRequest(messages=(Message(role="user", text="?"),))
PRICES = PriceTable(models={"scripted": Price(input=1, output=1)})
CALL = Completion(text="ok", usage=Usage(input_tokens=60, output_tokens=40, cost=0.4))


def asked(limits, **spent):
    scripted = Scripted([CALL] * 9)
    provider = Budgeted(scripted, Budget(BudgetLimits(**limits), **spent), prices=PRICES)
    return provider, scripted


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"run_cost": 1.0}, r"run is spent: \$1\.20 of \$1\.00"),
        ({"run_tokens": 250}, "run is spent: 300 of 250 tokens"),
        ({"month_cost": 1.0}, "month is spent"),
        ({"month_tokens": 250}, "month is spent"),
    ],
)
def test_it_stops_before_the_call_after_the_limit(limits, message):
    provider, scripted = asked(limits)
    for _ in range(3):
        provider.complete(ASK)
    with pytest.raises(BudgetExhausted, match=f"{message}.*resume"):
        provider.complete(ASK)
    assert len(scripted.requests) == 3


def test_what_was_spent_before_counts():
    provider, scripted = asked({"run_cost": 1.0}, spent_in_run=lambda: Usage(cost=0.9))
    provider.complete(ASK)
    with pytest.raises(BudgetExhausted):
        provider.complete(ASK)
    assert len(scripted.requests) == 1


def test_what_others_spent_this_month_counts():
    provider, scripted = asked({"month_tokens": 500}, spent_in_month=lambda: Usage(input_tokens=500))
    with pytest.raises(BudgetExhausted, match="this month"):
        provider.complete(ASK)
    assert not scripted.requests


@pytest.mark.parametrize("limit", ["run_cost", "month_cost"])
def test_a_budget_in_money_needs_a_price(limit):
    with pytest.raises(InvalidInput, match="no price for 'home-made'"):
        Budgeted(Scripted([], model="home-made"), Budget(BudgetLimits(**{limit: 1.0})), prices=PRICES)


@pytest.mark.parametrize("limit", ["run_tokens", "month_tokens"])
def test_a_budget_in_tokens_needs_none(limit):
    home_made = Scripted([CALL], model="home-made")
    Budgeted(home_made, Budget(BudgetLimits(**{limit: 1})), prices=PRICES).complete(ASK)
    assert len(home_made.requests) == 1


def test_without_limits_nothing_stops():
    provider, _ = asked({})
    for _ in range(9):
        provider.complete(ASK)


@pytest.mark.parametrize("limit", ["run_cost", "run_tokens", "month_cost", "month_tokens"])
def test_a_limit_of_nothing_allows_no_call_and_none_is_below(limit):
    provider, scripted = asked({limit: 0})
    with pytest.raises(BudgetExhausted):
        provider.complete(ASK)
    assert scripted.requests == []
    with pytest.raises(ValueError, match="greater than or equal to 0"):
        BudgetLimits(**{limit: -1})


@pytest.mark.parametrize(
    ("limit", "below", "reached"),
    [
        ("cost", Usage(cost=0.99), Usage(cost=1.0)),
        ("tokens", Usage(input_tokens=60, output_tokens=39), Usage(input_tokens=60, output_tokens=40)),
    ],
)
@pytest.mark.parametrize("span", ["run", "month"])
def test_a_budget_is_spent_when_its_limit_is_reached_and_not_before(span, limit, below, reached):
    limits = BudgetLimits(**{f"{span}_{limit}": {"cost": 1.0, "tokens": 100}[limit]})

    def require(spent):
        Budget(limits, **{f"spent_in_{span}": lambda: spent}).require()

    require(below)
    with pytest.raises(BudgetExhausted, match=f"of this {span} is spent"):
        require(reached)


def test_what_is_spent_through_a_budget_adds_up():
    budget = Budget(BudgetLimits())
    budget.add(Usage(input_tokens=1, output_tokens=2, cost=0.25))
    budget.add(Usage(input_tokens=10, output_tokens=20, cost=0.5))
    assert budget.spent == Usage(input_tokens=11, output_tokens=22, cost=0.75)
