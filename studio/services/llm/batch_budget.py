"""The budget of a whole batch: its own limit beside those of each run and of the month."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studio.models import Project, Run
from studio.services.llm.prices import prices
from synthesis.documents.trajectory import Usage
from synthesis.errors import BudgetExhausted, InvalidInput
from synthesis.llm.budget import Budget, BudgetLimits, nothing_spent

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
    """A run's budget that also ends when the whole batch or the project has spent its own.

    Args:
        limits: Of the run and the month.
        within: Of the batch: "cost" and "tokens".
        spent_in_run: As for `Budget`.
        spent_in_month: As for `Budget`.
        spent_in_batch: What the batch spent outside this object; asked before each call.
        project: The limits of the project in a calendar month, as `within`.
        spent_in_project: What the project spent this month outside this object; asked before each call.
    """

    def __init__(
        self,
        limits: BudgetLimits,
        *,
        within: dict[str, Any],
        spent_in_run: Callable[[], Usage],
        spent_in_month: Callable[[], Usage],
        spent_in_batch: Callable[[], Usage],
        project: dict[str, Any] | None = None,
        spent_in_project: Callable[[], Usage] = nothing_spent,
    ) -> None:
        super().__init__(limits, spent_in_run=spent_in_run, spent_in_month=spent_in_month)
        self._shared = (
            (_OF_A_BATCH, within, spent_in_batch),
            (_OF_A_PROJECT, project or {}, spent_in_project),
        )

    def require(self) -> None:
        """Pass while something is left.

        Raises:
            BudgetExhausted: A limit is reached; the text names it, what was spent, and how to go on.
        """
        super().require()
        for whose, limits, spent_elsewhere in self._shared:
            if limits:
                _require_left(whose, limits, self.spent + spent_elsewhere())


_OF_A_BATCH = ("this batch", "on the batch's page")
_OF_A_PROJECT = ("this project for the month", "on the project's page")


def project_limits(project: Project) -> dict[str, Any]:
    """The project's own limits of a calendar month, as those of a batch."""
    cost = None if project.month_cost is None else float(project.month_cost)
    limits = (("cost", cost), ("tokens", project.month_tokens))
    return {name: value for name, value in limits if value is not None}


def _require_left(whose: tuple[str, str], limits: dict[str, Any], total: Usage) -> None:
    cost, tokens = total.cost or 0.0, total.input_tokens + total.output_tokens
    most_cost, most_tokens = limits.get("cost"), limits.get("tokens")
    message = ""
    if most_cost is not None and cost >= most_cost:
        message = f"${cost:,.2f} of ${most_cost:,.2f}"
    elif most_tokens is not None and tokens >= most_tokens:
        message = f"{tokens:,} of {most_tokens:,} tokens"
    if message:
        owner, place = whose
        raise BudgetExhausted(
            f"The budget of {owner} is spent: {message}. Finished parts are kept; "
            f"raise the limit {place} and resume to continue from here."
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
