"""Large answers are taken in one after the other: a crowd of large databases does not fill the memory.

Every state of a world may have its largest size, and a verification holds several copies of one. Answers up
to `SMALL_BYTES` are nobody's business here.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

from synthesis.errors import WorkerTimeout

SMALL_BYTES = 4 * 2**20
_PATIENCE_SECONDS = 30.0


class LargeFrames:
    """Who may hold large answers now: one thread at a time."""

    def __init__(self) -> None:
        self.forget_all()

    def forget_all(self) -> None:
        """Start over, as a fork of the service must."""
        self._lock = threading.Lock()
        self._mine = threading.local()

    @contextlib.contextmanager
    def reserved(self) -> Iterator[None]:
        """While the block runs, the first large answer taken in keeps other threads from theirs until it
        ends."""
        self._mine.scopes = getattr(self._mine, "scopes", 0) + 1
        try:
            yield
        finally:
            self._mine.scopes -= 1
            self._give_back()

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Take in one large answer.

        Raises:
            WorkerTimeout: Others kept theirs for too long.
        """
        if not getattr(self._mine, "holds", False):
            if not self._lock.acquire(timeout=_PATIENCE_SECONDS):
                raise WorkerTimeout("Too many large databases were read at once: try again later.")
            self._mine.holds = True
        try:
            yield
        finally:
            self._give_back()

    def _give_back(self) -> None:
        if getattr(self._mine, "holds", False) and not getattr(self._mine, "scopes", 0):
            self._mine.holds = False
            self._lock.release()


LARGE_FRAMES = LargeFrames()
"""The one of this process."""
os.register_at_fork(after_in_child=LARGE_FRAMES.forget_all)
