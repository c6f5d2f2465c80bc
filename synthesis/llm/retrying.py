"""Retrying: the one place that asks an endpoint again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import tenacity

from synthesis.errors import ProviderError, ProviderOverloaded, ProviderUnreachable
from synthesis.llm.provider import Completion, CompletionRequest, Provider

Answer = TypeVar("Answer")


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
    """Seconds of waiting in all, after which the last error is raised."""


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
        return asked_again(
            lambda: self._provider.complete(request), self._policy, sleep=self._sleep, jitter=self._jitter
        )


def asked_again(
    ask: Callable[[], Answer],
    policy: RetryPolicy,
    *,
    sleep: Callable[[float], None] = time.sleep,
    jitter: Callable[[], float] = random.random,
) -> Answer:
    """The answer of an endpoint, or the last error when trying again did not help.

    Args:
        ask: One call.
        policy: How often and how patiently.
        sleep: Waits.
        jitter: A number in [0, 1) per wait.

    Raises:
        ProviderError: The last error, with how often was asked; one that asking again cannot help at once.
    """
    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type((ProviderOverloaded, ProviderUnreachable)),
        wait=lambda state: _wait(_error(state), state.attempt_number, policy, jitter()),
        stop=lambda state: (
            state.attempt_number >= _most(_error(state), policy)
            or state.idle_for + state.upcoming_sleep > policy.patience
        ),
        sleep=sleep,
    )
    try:
        return attempts(ask)
    except tenacity.RetryError as spent:
        error, count = spent.last_attempt.exception(), spent.last_attempt.attempt_number
        assert isinstance(error, ProviderError)
        raise _given_up(error, count) from None


def _error(state: tenacity.RetryCallState) -> ProviderError:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, ProviderError)
    return error


def _most(error: ProviderError, policy: RetryPolicy) -> int:
    return policy.attempts if isinstance(error, ProviderOverloaded) else policy.attempts_unreachable


def _wait(error: ProviderError, count: int, policy: RetryPolicy, jitter: float) -> float:
    wait = min(policy.first_wait * 2 ** (count - 1), policy.longest_wait)
    jittered: float = wait * (0.5 + jitter / 2)
    asked = error.retry_after if isinstance(error, ProviderOverloaded) else None
    # Never earlier than asked; the jitter on top keeps many clients from coming back at one moment.
    return jittered if asked is None else asked + jittered * 0.1


def _given_up(error: ProviderError, count: int) -> ProviderError:
    text = f"{error} (asked {count} times)"
    if isinstance(error, ProviderOverloaded):
        return ProviderOverloaded(text, retry_after=error.retry_after)
    return ProviderUnreachable(text)
