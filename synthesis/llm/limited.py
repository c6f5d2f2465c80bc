"""Limited: an endpoint's limits kept before it complains: calls in flight, requests and tokens a minute."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from pydantic import Field

from synthesis.documents.document import Document
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


class Limited:
    """A provider that waits for its turn. Share one between all threads that use the same endpoint.

    Args:
        provider: Who is asked.
        limits: What the endpoint allows.
        clock: Seconds, monotonic.
        sleep: Waits; a test passes its own.
    """

    def __init__(
        self,
        provider: Provider,
        limits: RateLimits,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._provider, self._limits, self._clock, self._sleep = provider, limits, clock, sleep
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(limits.concurrency) if limits.concurrency else None
        self._calls: deque[_Call] = deque()

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        return self._provider.model

    def complete(self, request: CompletionRequest) -> Completion:
        """The provider's answer, once it is this call's turn."""
        if self._slots is None:
            return self._in_turn(request)
        with self._slots:
            return self._in_turn(request)

    def _in_turn(self, request: CompletionRequest) -> Completion:
        call = self._take_turn(request.characters // 4 + (request.max_output_tokens or ASSUMED_REPLY_TOKENS))
        completion = self._provider.complete(request)
        used = completion.usage
        if used.input_tokens or used.output_tokens:
            call.tokens = used.input_tokens + used.output_tokens
        return completion

    def _take_turn(self, tokens: int) -> _Call:
        while True:
            with self._lock:
                now = self._clock()
                wait = self._wait(now, tokens)
                if wait <= 0:
                    call = _Call(now, tokens)
                    self._calls.append(call)
                    return call
            self._sleep(wait)

    def _wait(self, now: float, tokens: int) -> float:
        """Seconds until this call fits into the last minute's limits; 0 when it fits now."""
        while self._calls and now - self._calls[0].at >= MINUTE:
            self._calls.popleft()
        requests, allowed = self._limits.requests_per_minute, self._limits.tokens_per_minute
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


class _Call:
    """When a call was made and how many tokens it took, first as estimated, then as told."""

    __slots__ = ("at", "tokens")

    def __init__(self, at: float, tokens: int) -> None:
        self.at, self.tokens = at, tokens
