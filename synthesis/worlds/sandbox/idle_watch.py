"""IdleWatch: ends workers that use the processor although nobody asked them anything.

Hostile code may answer and work on. The service's time limits run only while it waits for an answer, so
somebody has to look at the others. That happens along with requests to any worker, every few seconds and
without a thread; in a service that asks nobody anything, the kernel's limit on CPU time ends it later.
"""

from __future__ import annotations

import threading
import time
import weakref
from typing import Protocol

SECONDS = 2.0
"""Between two looks."""
ALLOWED = 0.5
"""CPU seconds that an idle worker may use between two looks; an honest one waits in read(2) and uses none."""

_PROCESS_CLOCK = 2
"""CPUCLOCK_SCHED: the kernel's clock of all CPU time of a process."""


class Watched(Protocol):
    """A worker as far as it is watched."""

    pid: int
    requests: int
    """How many it was sent."""

    @property
    def busy(self) -> bool:
        """Whether somebody waits for an answer."""
        ...

    def condemn(self) -> None:
        """End the process; may be called from any thread."""
        ...


class IdleWatch:
    """Remembers what every idle worker had used at the last look."""

    def __init__(self) -> None:
        self.forget_all()

    def forget_all(self) -> None:
        """Begin anew, as a fork of the service must: the workers are its parent's."""
        self._lock = threading.Lock()
        self._workers: weakref.WeakSet[Watched] = weakref.WeakSet()
        self._seen: dict[int, tuple[int, float]] = {}
        self._due = 0.0

    def add(self, worker: Watched) -> None:
        """Watch a worker until it is forgotten."""
        with self._lock:
            self._workers.add(worker)

    def look(self) -> None:
        """Look at all workers if it is time; costs a third of a microsecond for each."""
        now = time.monotonic()
        if now < self._due or not self._lock.acquire(blocking=False):
            return
        try:
            self._due = now + SECONDS
            before, self._seen = self._seen, {}
            for worker in self._workers:
                self._look_at(worker, before.get(worker.pid))
        finally:
            self._lock.release()

    def _look_at(self, worker: Watched, before: tuple[int, float] | None) -> None:
        requests, used = worker.requests, _cpu_seconds(worker.pid)
        if worker.busy or used is None:
            return
        if before is not None and before[0] == requests and used - before[1] > ALLOWED:
            worker.condemn()
        else:
            self._seen[worker.pid] = (requests, used)


def _cpu_seconds(pid: int) -> float | None:
    """CPU time of any process, None when it has ended."""
    try:
        return time.clock_gettime((~pid << 3) | _PROCESS_CLOCK)
    except OSError:
        return None
