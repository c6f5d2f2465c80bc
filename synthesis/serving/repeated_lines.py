"""Repeated lines: a client that sends rubbish does not fill the server's log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

SECONDS = 60.0
"""A message is logged once in as many seconds."""

MOST_MESSAGES = 256


class RepeatedLines(logging.Filter):
    """Lets a message through once in a while; the next time says how often it was left out.

    Messages are told apart by their text before arguments are put in, so that what a client sends makes no
    new message.
    """

    def __init__(self, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._seconds, self._clock = seconds, clock
        self._last: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write a line; errors always are."""
        if record.levelno >= logging.ERROR:
            return True
        now, message = self._clock(), str(record.msg)
        last = self._last.get(message)
        if last is not None and now - last[0] < self._seconds:
            self._last[message] = (last[0], last[1] + 1)
            return False
        if len(self._last) >= MOST_MESSAGES:
            self._last.clear()
        self._last[message] = (now, 0)
        if last is not None and last[1]:
            record.msg = f"{message} ({last[1]:,} more like it were not logged.)"
        return True
