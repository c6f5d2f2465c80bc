"""IdleWatch: ends workers that use the processor although nobody asked them anything.

Hostile code may answer and work on. The service's time limits run only while it waits for an answer, so
somebody has to look at the others. That happens along with requests to any worker, a few times a second and
without a thread, and when a server looks for idle instances; elsewhere the kernel's limit on CPU time ends it
later.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from typing import NamedTuple, Protocol

SECONDS = 0.25
"""Between two looks."""
ALERT_SECONDS = 0.05
"""Between two looks while some are found: what spins takes processors from whoever is to find the next."""
WINDOW_SECONDS = 4.0
"""How far back what a worker used is counted together."""
ALLOWED_SHARE = 0.05
"""Of the processors' time, for all workers together that nobody asked anything. Honest ones wait
in read(2) and use none, so this is divided among those that used any: a crowd that leaves each of its members
little is found like one that takes all."""
UNNOTICED = 0.002
"""CPU seconds that count as none: a worker tidies up after an answer."""

_PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

_PROCESS_CLOCK = 2
"""CPUCLOCK_SCHED: the kernel's clock of all CPU time of a process."""


class _WatchedWorker(NamedTuple):
    """What a worker had used at a look."""

    requests: int
    used: float
    when: float


class Watched(Protocol):
    """A worker as far as it is watched."""

    pid: int
    requests: int
    """How many it was sent."""
    answered: float | None
    """Its CPU time when its last answer came; None before the first."""

    @property
    def busy(self) -> bool:
        """Whether somebody waits for an answer."""
        ...

    def condemn(self) -> None:
        """End the process; may be called from any thread."""
        ...


class IdleWatch:
    """Remembers what every idle worker had used when it was last asked, or a while ago."""

    def __init__(self) -> None:
        self.forget_all()

    def forget_all(self) -> None:
        """Start over, as a fork of the service must: the workers are its parent's."""
        self._lock = threading.Lock()
        self._workers: weakref.WeakSet[Watched] = weakref.WeakSet()
        self._seen: dict[int, _WatchedWorker] = {}
        self._due = 0.0

    def add(self, worker: Watched) -> None:
        """Watch a worker until it is forgotten."""
        with self._lock:
            self._workers.add(worker)

    @property
    def pause(self) -> float:
        """Seconds until it is time for the next look."""
        return max(self._due - time.monotonic(), 0.0)

    def look(self) -> None:
        """Look at all workers if it is time; costs a third of a microsecond for each."""
        now = time.monotonic()
        if now < self._due or not self._lock.acquire(blocking=False):
            return
        try:
            suspicious = self._look(now)
            self._due = now + (ALERT_SECONDS if suspicious else SECONDS)
        finally:
            self._lock.release()

    def _look(self, now: float) -> bool:
        """Condemn those that use more than they may; whether there were any."""
        before, self._seen = self._seen, {}
        shares = {worker: self._share(worker, before.get(worker.pid), now) for worker in self._workers}
        working = [worker for worker, share in shares.items() if share]
        condemned = [worker for worker in working if shares[worker] > ALLOWED_SHARE / len(working)]
        for worker in condemned:
            worker.condemn()
        return bool(condemned)

    def _share(self, worker: Watched, before: _WatchedWorker | None, now: float) -> float:
        """Which share of the processors' time a worker has used unasked."""
        requests, used = worker.requests, cpu_seconds(worker.pid)
        if worker.busy or used is None:
            return 0.0
        if before is None or before.requests != requests:
            # What it used since its answer, and at the latest since the look before this one.
            answered = used if worker.answered is None else worker.answered
            before = _WatchedWorker(requests, answered, now - SECONDS)
        expired = now - before.when > WINDOW_SECONDS
        self._seen[worker.pid] = _WatchedWorker(requests, used, now) if expired else before
        if used - before.used < UNNOTICED:
            return 0.0
        return (used - before.used) / max(now - before.when, SECONDS) / _PROCESSORS


def cpu_seconds(pid: int) -> float | None:
    """CPU time of any process, None when it has ended."""
    try:
        return time.clock_gettime((~pid << 3) | _PROCESS_CLOCK)
    except OSError:
        return None
