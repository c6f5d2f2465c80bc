"""CallQueue: callers of one instance come one after the other, and not too many wait."""

from __future__ import annotations

import threading
from types import TracebackType

from synthesis.errors import CapacityExhausted, InstanceClosed


class CallQueue:
    """`with queue:` waits for the caller's turn. A thread that has it may take it again.

    A class of its own and no generator: those cost as much as the rest of what a call pays here.

    Args:
        most: How many may wait besides the one whose turn it is.
    """

    __slots__ = ("_count", "_most", "closed", "turn", "waiting")

    def __init__(self, most: int) -> None:
        self._most, self._count = most, threading.Lock()
        self.turn = threading.RLock()
        """Held by the one whose turn it is."""
        self.waiting = 0
        """How many have come and not left, the one whose turn it is among them."""
        self.closed = False
        """Whether nobody gets a turn any more."""

    def __enter__(self) -> None:
        """Wait.

        Raises:
            CapacityExhausted: Too many wait already.
            InstanceClosed: The queue is closed.
        """
        with self._count:
            if self.waiting > self._most:
                raise CapacityExhausted(
                    f"{self._most} callers are already waiting for this instance: try again later."
                )
            self.waiting += 1
        try:
            self.turn.acquire()
        except BaseException:
            self._leave()
            raise
        if self.closed:
            self.__exit__(None, None, None)
            raise InstanceClosed("The instance is closed.")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the next one in."""
        self.turn.release()
        self._leave()

    def _leave(self) -> None:
        with self._count:
            self.waiting -= 1
