"""Limited: an endpoint's limits kept before it complains: calls in flight, requests and tokens a minute."""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.errors import InvalidInput
from synthesis.llm.provider import Completion, CompletionRequest, Provider

MINUTE = 60.0

ASSUMED_REPLY_TOKENS = 2_000
"""What a reply is taken to need before it is known."""


class RateLimits(Document):
    """What one endpoint allows; None is no limit."""

    concurrency: int | None = Field(default=64, ge=1)
    """Calls in flight."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)


class Gate:
    """The one way to an endpoint; share one between all runs and threads of a process that use it.

    Whoever waits is let in by priority, then in the order of coming. Other processes that use the same
    endpoint have gates of their own: `share` says how much of the limits is this one's.

    Args:
        limits: What the endpoint allows.
        clock: Seconds, monotonic.
        sleep: Waits for the next minute; a test passes its own. By default the wait ends early when something
            changes.
    """

    def __init__(
        self,
        limits: RateLimits,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self._limits, self._clock, self._sleep = limits, clock, sleep
        self._lock = threading.Lock()
        self._share = 1.0
        self._flying = 0
        self._numbers = itertools.count()
        self._waiting: list[tuple[int, int, threading.Condition]] = []
        self._calls: deque[_LimitedCall] = deque()

    @property
    def share(self) -> float:
        """How much of the limits this process may use, above 0 and up to 1; never less than one call."""
        return self._share

    @share.setter
    def share(self, share: float) -> None:
        if not 0 < share <= 1:
            raise InvalidInput(f"A share of an endpoint must be above 0 and at most 1, not {share!r}.")
        with self._lock:
            self._share = share
            self._wake_first()

    @property
    def in_flight(self) -> int:
        """Calls that are being answered."""
        return self._flying

    @property
    def waiting(self) -> int:
        """Calls that wait for their turn."""
        return len(self._waiting)

    @contextmanager
    def turn(self, tokens: int, *, priority: int = 0) -> Iterator[_LimitedCall]:
        """Wait for one's turn and hold it.

        Args:
            tokens: What the call is expected to take; set `tokens` of what is given to what it took.
            priority: Higher ones are let in first.
        """
        call = self._enter(tokens, priority)
        try:
            yield call
        finally:
            with self._lock:
                self._flying -= 1
                self._wake_first()

    def _enter(self, tokens: int, priority: int) -> _LimitedCall:
        with self._lock:
            mine = (-priority, next(self._numbers), threading.Condition(self._lock))
            heapq.heappush(self._waiting, mine)
            try:
                while (wait := self._wait_of(mine, tokens)) != 0:
                    self._pause(mine[2], wait)
                self._flying += 1
                call = _LimitedCall(self._clock(), tokens)
                self._calls.append(call)
            finally:
                self._waiting.remove(mine)
                heapq.heapify(self._waiting)
                self._wake_first()
            return call

    def _wait_of(self, mine: tuple[int, int, threading.Condition], tokens: int) -> float | None:
        """Seconds to wait: 0 when it is this call's turn, None until something changes."""
        slots = self._scaled(self._limits.concurrency)
        if self._waiting[0] is not mine or (slots is not None and self._flying >= slots):
            return None
        return max(self._rate_wait(self._clock(), tokens), 0)

    def _pause(self, changed: threading.Condition, wait: float | None) -> None:
        if wait is not None and self._sleep is not None:
            self._sleep(wait)
        else:
            changed.wait(wait)

    def _wake_first(self) -> None:
        if self._waiting:
            self._waiting[0][2].notify()

    def _scaled(self, limit: int | None) -> int | None:
        return None if limit is None else max(1, int(limit * self._share))

    def _rate_wait(self, now: float, tokens: int) -> float:
        """Seconds until this call fits into the last minute's limits; 0 when it fits now."""
        while self._calls and now - self._calls[0].at >= MINUTE:
            self._calls.popleft()
        requests = self._scaled(self._limits.requests_per_minute)
        allowed = self._scaled(self._limits.tokens_per_minute)
        wait = 0.0
        if requests is not None and len(self._calls) >= requests:
            wait = self._calls[len(self._calls) - requests].at + MINUTE - now
        if allowed is not None:
            wait = max(wait, self._token_wait(now, tokens, allowed))
        return wait

    def _token_wait(self, now: float, tokens: int, allowed: int) -> float:
        used = sum(call.tokens for call in self._calls)
        wait = 0.0
        for call in self._calls:
            if used + tokens <= allowed:
                break
            used -= call.tokens
            wait = call.at + MINUTE - now
        # A single call above the limit goes alone: waiting would not make it smaller.
        return wait


class Limited:
    """A provider that waits for its turn at the endpoint's gate.

    Args:
        provider: Who is asked.
        gate: The gate of its endpoint.
        priority: Of its calls; higher ones are let in first.
    """

    def __init__(self, provider: Provider, gate: Gate, *, priority: int = 0) -> None:
        self._provider, self._gate, self._priority = provider, gate, priority

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        return self._provider.model

    def complete(self, request: CompletionRequest) -> Completion:
        """The provider's answer, once it is this call's turn."""
        expected = request.characters // 4 + (request.max_output_tokens or ASSUMED_REPLY_TOKENS)
        with self._gate.turn(expected, priority=self._priority) as call:
            completion = self._provider.complete(request)
            used = completion.usage
            if used.input_tokens or used.output_tokens:
                call.tokens = used.input_tokens + used.output_tokens
            return completion


class _LimitedCall:
    """When a call was made and how many tokens it took, first as estimated, then as told."""

    __slots__ = ("at", "tokens")

    def __init__(self, at: float, tokens: int) -> None:
        self.at, self.tokens = at, tokens
