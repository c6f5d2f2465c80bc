"""Stoppable: nothing more is asked once somebody wants the work to stop; what is asked is answered."""

from __future__ import annotations

from collections.abc import Callable

from synthesis.errors import Cancelled
from synthesis.llm.provider import Completion, CompletionRequest, Provider


class Stoppable:
    """A provider that makes no call after it was told to stop. It is below the gate and the retries.

    Args:
        provider: Who is asked.
        stopped: Whether to stop; asked before each call.
    """

    def __init__(self, provider: Provider, stopped: Callable[[], bool]) -> None:
        self._provider, self._stopped = provider, stopped

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        return self._provider.model

    def complete(self, request: CompletionRequest) -> Completion:
        """The provider's answer.

        Raises:
            Cancelled: It was told to stop; nothing was asked.
        """
        if self._stopped():
            raise Cancelled(f"Stopped before a call for {request.stage or 'a reply'}.")
        return self._provider.complete(request)
