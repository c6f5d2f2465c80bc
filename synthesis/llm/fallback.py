"""Fallback: the next model of a pool, where the one before it is down."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from synthesis.errors import (
    InvalidInput,
    PromptTooLong,
    ProviderError,
    ProviderOverloaded,
    ProviderRefused,
    ProviderUnreachable,
)
from synthesis.llm.provider import Completion, CompletionRequest, Provider
from synthesis.llm.retrying import RetryPolicy

REST = 60.0
"""Seconds for which a model that did not answer is left alone while others do."""

BEFORE_THE_NEXT = RetryPolicy(attempts=2, attempts_unreachable=2)
"""How patiently a model is asked that another one stands in for."""


class Fallback:
    """Asks the first of several providers that is not down; what it says of itself is the first's.

    Args:
        providers: In the order in which they are asked.
        rest: Seconds for which one that failed is left out; while all rest, all are asked again.
        clock: Seconds, monotonic.

    Raises:
        InvalidInput: There is none.
    """

    def __init__(
        self,
        providers: Sequence[Provider],
        *,
        rest: float = REST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not providers:
            raise InvalidInput("A pool of models needs at least one.")
        self._providers, self._rest, self._clock = tuple(providers), rest, clock
        self._lock = threading.Lock()
        self._down_since: dict[int, float] = {}

    @property
    def model(self) -> str:
        """Name of the model that is asked first; a completion's `answered_by` names the one that did."""
        return self._providers[0].model

    def complete(self, request: CompletionRequest) -> Completion:
        """The first answer.

        Raises:
            PromptTooLong: The request is to be made shorter, for whichever model.
            BudgetExhausted, Cancelled: Nobody may be asked.
            ProviderError: None of them answered: the last one's error, with what was wrong with the others.
        """
        problems: list[str] = []
        last: ProviderError | None = None
        for place in self._order():
            provider = self._providers[place]
            try:
                completion = provider.complete(request)
            except PromptTooLong:
                raise
            except (ProviderUnreachable, ProviderOverloaded, ProviderRefused) as error:
                last = error
                problems.append(str(error))
                with self._lock:
                    self._down_since[place] = self._clock()
            else:
                with self._lock:
                    self._down_since.pop(place, None)
                return completion.replace(answered_by=provider.model)
        assert last is not None
        raise _with_all(last, problems)

    def _order(self) -> list[int]:
        """Places of those to ask: the ones that are up, and then, should these fail, those that rest."""
        now = self._clock()
        with self._lock:
            resting = {place for place, since in self._down_since.items() if now - since < self._rest}
        places = range(len(self._providers))
        return [*(p for p in places if p not in resting), *(p for p in places if p in resting)]


def _with_all(error: ProviderError, problems: Sequence[str]) -> ProviderError:
    """The last error with the words of all: which one a person must mend is theirs to say."""
    if len(problems) == 1:
        return error
    text = f"None of {len(problems)} models answered. " + " Then: ".join(problems)
    if isinstance(error, ProviderOverloaded):
        return ProviderOverloaded(text, retry_after=error.retry_after)
    return type(error)(text)
