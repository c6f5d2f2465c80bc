"""The budget of a whole batch: its own limit beside those of each run and of the month."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studio.models import Run
from studio.services.llm.prices import prices
from synthesis.documents.trajectory import Usage
from synthesis.errors import BudgetExhausted, InvalidInput
from synthesis.llm.budget import Budget, BudgetLimits

MONEY_STEP = 0.01


def batch_limits(*, cost: float | None = None, tokens: int | None = None) -> dict[str, Any]:
    """The limits as a batch's request keeps them; None is no limit.

    Raises:
        InvalidInput: A limit is not above nothing.
    """
    if cost is not None and not cost >= MONEY_STEP:
        raise InvalidInput(
            f"A budget of ${cost:,.2f} is too small to start anything; give at least ${MONEY_STEP}."
        )
    if tokens is not None and tokens < 1:
        raise InvalidInput(f"A budget of {tokens:,} tokens is too small to start anything; give at least 1.")
    return {name: value for name, value in (("cost", cost), ("tokens", tokens)) if value is not None}


def limits_of(batch: Run) -> dict[str, Any]:
    """The batch's own limits: "cost" in US dollars, "tokens" as input plus output; empty without any."""
    result = batch.request.get("budget") if isinstance(batch.request, dict) else None
    return result if isinstance(result, dict) else {}


class BatchBudget(Budget):
    """A run's budget that also ends when the whole batch has spent its own.

    Args:
        limits: Of the run and the month.
        within: Of the batch: "cost" and "tokens".
        spent_in_run: As for `Budget`.
        spent_in_month: As for `Budget`.
        spent_in_batch: What the batch spent outside this object; asked before each call.
    """

    def __init__(
        self,
        limits: BudgetLimits,
        *,
        within: dict[str, Any],
        spent_in_run: Callable[[], Usage],
        spent_in_month: Callable[[], Usage],
        spent_in_batch: Callable[[], Usage],
    ) -> None:
        super().__init__(limits, spent_in_run=spent_in_run, spent_in_month=spent_in_month)
        self._cost, self._tokens = within.get("cost"), within.get("tokens")
        self._batch = spent_in_batch

    def require(self) -> None:
        """Pass while something is left.

        Raises:
            BudgetExhausted: A limit is reached; the text names it, what was spent, and how to go on.
        """
        super().require()
        batch = self.spent + self._batch()
        cost, tokens = batch.cost or 0.0, batch.input_tokens + batch.output_tokens
        if self._cost is not None and cost >= self._cost:
            raise _spent(f"${cost:,.2f} of ${self._cost:,.2f}")
        if self._tokens is not None and tokens >= self._tokens:
            raise _spent(f"{tokens:,} of {self._tokens:,} tokens")


def _spent(message: str) -> BudgetExhausted:
    return BudgetExhausted(
        f"The budget of this batch is spent: {message}. Finished parts are kept; "
        "raise the limit on the batch's page and resume to continue from here."
    )


def require_price(*models: str) -> None:
    """Pass when what models are asked can be paid from a budget in money.

    Args:
        models: As settings and requests name them, each perhaps with its endpoint.

    Raises:
        InvalidInput: No price is known for one; the text says what to add.
    """
    for model in models or ("",):
        prices().require(model.rpartition("@")[0] or model)
