"""FairSlots: who may use one of a server's threads next; nobody can use them all up.

A thread that waits for hostile code waits as long as a call may take. So nobody gets all of them: the work
that one client does on one environment may take as many as are left free then (half of all, where nobody else
is there; a third each, where two are), which leaves some for whoever comes next. Among those who wait, the
one that has used the least time lately comes first.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, deque
from collections.abc import AsyncIterator
from typing import NamedTuple, TypeVar

from synthesis.serving.faults import RequestRefused

K = TypeVar("K")
_HALF_LIFE_SECONDS = 5.0
_FORGOTTEN_SECONDS = 0.001


class Flow(NamedTuple):
    """Whose work it is."""

    client: str
    environment: str


class FairSlots:
    """A number of slots. Its methods belong to one event loop.

    Args:
        total: How many there are.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self._taken = 0
        self._running: Counter[Flow] = Counter()
        self._clients: Counter[str] = Counter()
        self._environments: Counter[str] = Counter()
        self._waiting: dict[Flow, deque[asyncio.Future[None]]] = {}
        self._used: dict[Flow, float] = {}
        self._halved = time.monotonic()

    @property
    def waiting(self) -> int:
        """How many wait for a slot."""
        return sum(map(len, self._waiting.values()))

    @contextlib.asynccontextmanager
    async def slot(self, flow: Flow, *, patience: float | None = None) -> AsyncIterator[None]:
        """Hold one while the block runs, after those who come first.

        Args:
            flow: Whose work it is.
            patience: Seconds to wait for one; as long as it takes otherwise.

        Raises:
            RequestRefused: It took longer (503).
        """
        if flow not in self._waiting and self._may(flow):
            self._take(flow)
        else:
            try:
                async with asyncio.timeout(patience):
                    await self._wait(flow)
            except TimeoutError as error:
                raise RequestRefused(
                    503, "busy", "Too many of your calls are already waiting; try again later.", retry_after=5
                ) from error
        began = time.monotonic()
        try:
            yield
        finally:
            now = time.monotonic()
            self._used[flow] = self._used.get(flow, 0.0) + now - began
            self._release(flow)
            self._forget(now)

    def _may(self, flow: Flow) -> bool:
        """An environment or a client as a whole may have twice what one of its flows may."""
        free = self.total - self._taken
        return (
            self._running[flow] < free
            and self._clients[flow.client] < 2 * free
            and self._environments[flow.environment] < 2 * free
        )

    def _take(self, flow: Flow) -> None:
        self._taken += 1
        self._running[flow] += 1
        self._clients[flow.client] += 1
        self._environments[flow.environment] += 1

    async def _wait(self, flow: Flow) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(flow, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was given at the same moment
                self._release(flow)
            else:
                self._leave_queue(flow, turn)
            raise

    def _leave_queue(self, flow: Flow, turn: asyncio.Future[None]) -> None:
        queue = self._waiting[flow]
        queue.remove(turn)
        if not queue:
            del self._waiting[flow]

    def _release(self, flow: Flow) -> None:
        self._taken -= 1
        _count_down(self._running, flow)
        _count_down(self._clients, flow.client)
        _count_down(self._environments, flow.environment)
        while self._waiting and self._admit_next():
            pass

    def _admit_next(self) -> bool:
        allowed = [flow for flow in self._waiting if self._may(flow)]
        if not allowed:
            return False
        flow = min(allowed, key=lambda flow: self._used.get(flow, 0.0))
        turn = self._waiting[flow][0]
        self._leave_queue(flow, turn)
        self._take(flow)
        turn.set_result(None)
        return True

    def _forget(self, now: float) -> None:
        """What was used long ago counts less and less."""
        if now - self._halved < _HALF_LIFE_SECONDS:
            return
        self._halved = now
        halves = ((flow, used / 2) for flow, used in self._used.items())
        self._used = {flow: used for flow, used in halves if used > _FORGOTTEN_SECONDS}


def _count_down(counter: Counter[K], key: K) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
