"""Retrying: the one place that asks an endpoint again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from synthesis.errors import ProviderError, ProviderOverloaded, ProviderUnreachable
from synthesis.llm.provider import Completion, CompletionRequest, Provider


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently."""

    attempts: int = 6
    """Calls in all, for an endpoint that is busy (408, 409, 429, 5xx)."""
    attempts_unreachable: int = 3
    """Calls in all, for an endpoint that cannot be reached or cuts the connection."""
    first_wait: float = 1.0
    """Seconds before the second call; doubles each time, with full jitter above its half."""
    longest_wait: float = 60.0
    """Most seconds between two calls, unless the endpoint asked for more."""
    patience: float = 900.0
    """Seconds of waiting in all, after which the last error stands."""


class Retrying:
    """A provider that is asked again while that may help, honouring Retry-After.

    Args:
        provider: Who is asked.
        policy: How often and how patiently.
        sleep: Waits; a test passes its own.
        jitter: A number in [0, 1) per wait.
    """

    def __init__(
        self,
        provider: Provider,
        policy: RetryPolicy = RetryPolicy(),
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._provider, self._policy, self._sleep, self._jitter = provider, policy, sleep, jitter

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        return self._provider.model

    def complete(self, request: CompletionRequest) -> Completion:
        """The provider's answer, or the last error when trying again did not help."""
        made, waited = 0, 0.0
        while True:
            made += 1
            try:
                return self._provider.complete(request)
            except (ProviderOverloaded, ProviderUnreachable) as error:
                wait = self._wait(error, made)
                if made >= self._most(error) or waited + wait > self._policy.patience:
                    raise _given_up(error, made) from None
            self._sleep(wait)
            waited += wait

    def _most(self, error: ProviderError) -> int:
        if isinstance(error, ProviderOverloaded):
            return self._policy.attempts
        return self._policy.attempts_unreachable

    def _wait(self, error: ProviderError, made: int) -> float:
        policy = self._policy
        wait = min(policy.first_wait * 2 ** (made - 1), policy.longest_wait)
        jittered: float = wait * (0.5 + self._jitter() / 2)
        asked = error.retry_after if isinstance(error, ProviderOverloaded) else None
        # Never earlier than asked; the jitter on top keeps many clients from coming back at one moment.
        return jittered if asked is None else asked + jittered * 0.1


def _given_up(error: ProviderError, made: int) -> ProviderError:
    text = f"{error} (asked {made} times)"
    if isinstance(error, ProviderOverloaded):
        return ProviderOverloaded(text, retry_after=error.retry_after)
    return ProviderUnreachable(text)
