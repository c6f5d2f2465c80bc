"""Pace: how fast episodes are played and what they cost, by one process or by several side by side."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks import processor_time
from benchmarks.sample import rounded

_START_SECONDS = 120


@dataclass(frozen=True)
class Pace:
    """How fast episodes were played.

    Args:
        episodes: How many.
        seconds: How long it took.
        cpu_seconds: What they cost all processes together.
        client_cpu_seconds: What of it was spent in this process, which plays.
    """

    episodes: int
    seconds: float
    cpu_seconds: float
    client_cpu_seconds: float

    @property
    def per_s(self) -> float:
        return rounded(self.episodes / self.seconds)

    @property
    def cpu_ms(self) -> float:
        return rounded(self.cpu_seconds / self.episodes * 1000)

    @property
    def client_cpu_ms(self) -> float:
        return rounded(self.client_cpu_seconds / self.episodes * 1000)


class PaceWatch:
    """Wall clock and processor time from when it is made."""

    def __init__(self) -> None:
        self._began = time.perf_counter(), processor_time.spent(), time.process_time()

    def pace(self, episodes: int) -> Pace:
        """What so many episodes took until now."""
        now = time.perf_counter(), processor_time.spent(), time.process_time()
        return Pace(episodes, *(end - began for began, end in zip(self._began, now, strict=True)))


def side_by_side(play: Callable[[Callable[[], object]], Pace], *, processes: int) -> Pace:
    """What several forks of this process do together.

    Args:
        play: What each does; it calls what it is given when it is ready and then waits there for the others.
        processes: How many.

    Raises:
        RuntimeError: One failed; what it said stands on stderr.
    """
    context = multiprocessing.get_context("fork")
    together = context.Barrier(processes, timeout=_START_SECONDS)
    simple_queue = context.SimpleQueue()
    forks = [
        context.Process(target=lambda: simple_queue.put(play(together.wait)), name=f"worker-{number}")
        for number in range(processes)
    ]
    for fork in forks:
        fork.start()
    for fork in forks:
        fork.join()
    if failed := [fork.name for fork in forks if fork.exitcode]:
        raise RuntimeError(f"{', '.join(failed)} of {processes} processes failed")
    parts: list[Pace] = [simple_queue.get() for _ in forks]
    return Pace(
        sum(part.episodes for part in parts),
        max(part.seconds for part in parts),
        sum(part.cpu_seconds for part in parts),
        sum(part.client_cpu_seconds for part in parts),
    )
