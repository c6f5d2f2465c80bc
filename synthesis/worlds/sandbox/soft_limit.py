"""The soft time limit inside a worker: the service's signal becomes an exception while code runs."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType

SIGNAL = signal.SIGUSR1
"""What the service sends to a worker that is over its soft limit."""


class OutOfTime(BaseException):
    """Raised into running generated code. No Exception, so that `except Exception` does not swallow it."""


class SoftLimit:
    """A context in which the signal raises `OutOfTime`; outside of it the signal does nothing."""

    def __init__(self) -> None:
        self._running = False

    def arm(self) -> None:
        """Install the handler; once per fork server, its workers inherit it."""
        signal.signal(SIGNAL, self._raise)

    def __enter__(self) -> None:
        self._running = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running = False

    def _raise(self, _number: int, _frame: FrameType | None) -> None:
        if self._running:
            self._running = False
            raise OutOfTime


SOFT_LIMIT = SoftLimit()
"""The one of this process."""
