"""Metered: one ledger entry per call that was really made, whatever came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.documents.trajectory import Usage
from synthesis.errors import ProviderError, ProviderOverloaded, ProviderRefused, ProviderUnreachable
from synthesis.llm.prices import PriceTable, price_table
from synthesis.llm.provider import Completion, CompletionRequest, Provider

Outcome = Literal["answered", "cut_off", "declined", "unreachable", "refused", "overloaded", "failed"]
"""What came of a call; the first three were answered and are paid for."""


class LedgerEntry(Document):
    """One call: for what, how long, how much; never the key, never the text."""

    stage: str = ""
    attempt: int = 0
    model: str
    usage: Usage = Usage()
    """Tokens, and the cost where the model's price is known."""
    seconds: float = Field(ge=0)
    outcome: Outcome
    error: str = ""

    @property
    def paid(self) -> bool:
        """Whether the endpoint answered, so that the call is paid for."""
        return self.outcome in ("answered", "cut_off", "declined")


class Metered:
    """A provider whose calls are entered in a ledger.

    Args:
        provider: Who is asked.
        record: Called once per call with its entry, also when the call failed.
        prices: What models cost.
    """

    def __init__(
        self, provider: Provider, record: Callable[[LedgerEntry], None], *, prices: PriceTable | None = None
    ) -> None:
        self._provider, self._record = provider, record
        self._prices = price_table() if prices is None else prices

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        return self._provider.model

    def complete(self, request: CompletionRequest) -> Completion:
        """The provider's answer, its usage with the cost filled in."""
        started = time.perf_counter()
        try:
            completion = self._provider.complete(request)
        except ProviderError as error:
            self._enter(request, _outcome(error), started, error=str(error))
            raise
        used = completion.usage
        if used.cost is None:
            used = used.replace(cost=self._cost(completion))
        outcomes: dict[str, Outcome] = {"length": "cut_off", "refusal": "declined"}
        self._enter(request, outcomes.get(completion.finish_reason, "answered"), started, usage=used)
        return completion.replace(usage=used)

    def _cost(self, completion: Completion) -> float | None:
        """By the name the endpoint gave, or else by the name that was asked for."""
        named = self._prices.cost(completion.model, completion.usage)
        return self._prices.cost(self.model, completion.usage) if named is None else named

    def _enter(
        self,
        request: CompletionRequest,
        outcome: Outcome,
        started: float,
        *,
        usage: Usage | None = None,
        error: str = "",
    ) -> None:
        self._record(
            LedgerEntry(
                stage=request.stage,
                attempt=request.attempt,
                model=self.model,
                usage=usage or Usage(),
                seconds=time.perf_counter() - started,
                outcome=outcome,
                error=error,
            )
        )


def _outcome(error: ProviderError) -> Outcome:
    kinds: tuple[tuple[type[ProviderError], Outcome], ...] = (
        (ProviderUnreachable, "unreachable"),
        (ProviderRefused, "refused"),
        (ProviderOverloaded, "overloaded"),
    )
    return next((outcome for kind, outcome in kinds if isinstance(error, kind)), "failed")
