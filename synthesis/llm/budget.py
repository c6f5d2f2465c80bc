"""Budget: a hard stop in money and in tokens; calls in flight finish, nothing more is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.documents.trajectory import Usage
from synthesis.errors import BudgetExhausted
from synthesis.llm.prices import PriceTable, price_table
from synthesis.llm.provider import Completion, CompletionRequest, Provider


class BudgetLimits(Document):
    """Where to stop; None is no limit. Money is in US dollars, tokens are input plus output."""

    run_cost: float | None = Field(default=None, ge=0)
    run_tokens: int | None = Field(default=None, ge=0)
    month_cost: float | None = Field(default=None, ge=0)
    month_tokens: int | None = Field(default=None, ge=0)

    @property
    def in_money(self) -> bool:
        """Whether any limit is in money."""
        return self.run_cost is not None or self.month_cost is not None


def nothing_spent() -> Usage:
    """No usage at all."""
    return Usage()


class Budget:
    """What a run may still spend; share one between all threads of a run.

    Args:
        limits: Where to stop.
        spent_in_run: What the run spent outside this object, before it was resumed; asked before each call.
        spent_in_month: What the month spent outside this object; asked before each call when the month has
            a limit.
    """

    def __init__(
        self,
        limits: BudgetLimits,
        *,
        spent_in_run: Callable[[], Usage] = nothing_spent,
        spent_in_month: Callable[[], Usage] = nothing_spent,
    ) -> None:
        self.limits = limits
        self._before, self._month = spent_in_run, spent_in_month
        self._lock = threading.Lock()
        self._spent = Usage()

    @property
    def spent(self) -> Usage:
        """What was spent through this object."""
        with self._lock:
            return self._spent

    def add(self, usage: Usage) -> None:
        """Enter what a call used."""
        with self._lock:
            self._spent += usage

    def require(self) -> None:
        """Pass while something is left.

        Raises:
            BudgetExhausted: A limit is reached; the text names it, what was spent, and how to go on.
        """
        here, limits = self.spent, self.limits
        if limits.run_cost is not None or limits.run_tokens is not None:
            run = here + self._before()
            self._within("run", "money", run.cost or 0.0, limits.run_cost)
            self._within("run", "tokens", _tokens(run), limits.run_tokens)
        if limits.month_cost is not None or limits.month_tokens is not None:
            month = here + self._month()
            self._within("month", "money", month.cost or 0.0, limits.month_cost)
            self._within("month", "tokens", _tokens(month), limits.month_tokens)

    @staticmethod
    def _within(span: str, kind: str, spent: float, limit: float | None) -> None:
        if limit is None or spent < limit:
            return
        message = (
            f"${spent:,.2f} of ${limit:,.2f}" if kind == "money" else f"{spent:,.0f} of {limit:,.0f} tokens"
        )
        raise BudgetExhausted(
            f"The budget of this {span} is spent: {message}. Finished parts are kept; "
            "raise the limit and resume to continue from here."
        )


class Budgeted:
    """A provider that is asked only while the budget lasts; it wraps `Metered`, which knows the cost.

    Raises:
        InvalidInput: The budget is in money and the model has no price.
    """

    def __init__(self, provider: Provider, budget: Budget, *, prices: PriceTable | None = None) -> None:
        if budget.limits.in_money:
            (price_table() if prices is None else prices).require(provider.model)
        self._provider, self._budget = provider, budget

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        return self._provider.model

    def complete(self, request: CompletionRequest) -> Completion:
        """The provider's answer, entered in the budget; raises BudgetExhausted before a call, never after."""
        self._budget.require()
        completion = self._provider.complete(request)
        self._budget.add(completion.usage)
        return completion


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens
