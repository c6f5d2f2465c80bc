"""Where a batch's own budget ends: when the limit is reached, not when it is passed."""

from __future__ import annotations

import pytest

from studio.models import Run
from studio.services.llm.batch_budget import MONEY_STEP, BatchBudget, batch_limits, limits_of, require_price
from synthesis.documents.trajectory import Usage
from synthesis.errors import BudgetExhausted, InvalidInput
from synthesis.llm.budget import BudgetLimits, nothing_spent


def budget(*, batch: Usage, **within: float) -> BatchBudget:
    return BatchBudget(
        BudgetLimits(),
        within=within,
        spent_in_run=nothing_spent,
        spent_in_month=nothing_spent,
        spent_in_batch=lambda: batch,
    )


@pytest.mark.parametrize(
    ("within", "just_below", "reached", "message"),
    [
        ({"cost": 2.0}, Usage(cost=1.75), Usage(cost=2.0), r"\$2\.00 of \$2\.00"),
        (
            {"tokens": 100},
            Usage(input_tokens=60, output_tokens=39),
            Usage(input_tokens=60, output_tokens=40),
            "100 of 100 tokens",
        ),
    ],
)
def test_it_ends_exactly_at_its_limit(within, just_below, reached, message):
    budget(batch=just_below, **within).require()
    with pytest.raises(BudgetExhausted, match=f"of this batch is spent: {message}"):
        budget(batch=reached, **within).require()


def test_what_has_no_price_spends_no_money():
    budget(batch=Usage(input_tokens=10**9, cost=None), cost=0.01).require()


def test_a_budget_in_money_needs_the_price_of_every_model_whatever_endpoint_serves_it():
    require_price("gpt-5", "gpt-5@inhouse")
    for models in (("gpt-5", "none-such@inhouse"), ("none-such",), ()):
        with pytest.raises(InvalidInput, match="there is no price for") as refused:
            require_price(*models)
        assert "inhouse" not in str(refused.value)


def test_the_smallest_budget_that_can_be_given_is_a_cent_or_a_token():
    assert batch_limits(cost=MONEY_STEP, tokens=1) == {"cost": MONEY_STEP, "tokens": 1}
    assert batch_limits() == {}
    for cost in (0.0, MONEY_STEP - 0.001, -1.0, float("nan")):
        with pytest.raises(InvalidInput, match="too small to start anything; give at least"):
            batch_limits(cost=cost)
    for tokens in (0, -5):
        with pytest.raises(InvalidInput, match=f"budget of {tokens} tokens is too small"):
            batch_limits(tokens=tokens)


@pytest.mark.parametrize("request_", [{}, {"budget": None}, {"budget": 5}, [], None])
def test_a_batch_whose_request_names_no_budget_has_no_limits(request_):
    assert limits_of(Run(request=request_)) == {}
    assert limits_of(Run(request={"budget": {"cost": 2.0}})) == {"cost": 2.0}
