"""Scripted: a provider whose replies are written beforehand; the double that ships with the seam."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from synthesis.documents.trajectory import Usage
from synthesis.errors import ProviderRefused
from synthesis.llm.provider import Completion, CompletionRequest

Reply = str | Completion | Exception
"""A text, a whole completion, or an error to raise."""


class Scripted:
    """Answers from a list in order, or by a function of the request; keeps every request.

    Args:
        replies: The replies, or a function that answers each request.
        model: The name it goes by.
    """

    def __init__(
        self, replies: Iterable[Reply] | Callable[[CompletionRequest], Reply], *, model: str = "scripted"
    ) -> None:
        self._answer = replies if callable(replies) else None
        self._replies = iter(()) if callable(replies) else iter(replies)
        self._model = model
        self._lock = threading.Lock()
        self.requests: list[CompletionRequest] = []

    @property
    def model(self) -> str:
        """The name it goes by."""
        return self._model

    def complete(self, request: CompletionRequest) -> Completion:
        """The next reply.

        Raises:
            ProviderRefused: The script is at its end.
        """
        with self._lock:
            self.requests.append(request)
            reply = self._answer(request) if self._answer else next(self._replies, None)
        if reply is None:
            raise ProviderRefused(f"The script has no reply to request {len(self.requests)}.")
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, str):
            used = Usage(input_tokens=request.characters // 4 + 1, output_tokens=len(reply) // 4 + 1)
            return Completion(text=reply, usage=used, model=self._model)
        return reply
