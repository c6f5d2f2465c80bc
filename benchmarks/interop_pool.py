"""Episodes a second on the hosts of a pool, one host and two, each driven by a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.sample import rounded
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.episode_pool import EpisodePool

_CALLS = 10


def pool_speeds(
    bundle: Path, call: ToolCall, seconds: float, pool: Callable[..., EpisodePool] = EpisodePool
) -> dict[str, Any]:
    """Episodes of ten calls a second by number of hosts, and what two give beside twice one.

    Args:
        bundle: What is played.
        call: The call.
        seconds: How long each number of hosts is measured.
        pool: Makes the pool: hosts of this machine, or actors of a Ray cluster.
    """
    speeds = {hosts: _speed(bundle, call, seconds, hosts, pool) for hosts in (1, 2)}
    return {
        "episodes_per_s": {str(hosts): rounded(speed) for hosts, speed in speeds.items()},
        "linear_share": rounded(speeds[2] / (2 * speeds[1])),
    }


def _speed(
    bundle: Path, call: ToolCall, seconds: float, hosts: int, make: Callable[..., EpisodePool]
) -> float:
    counts = [0] * hosts
    with make([bundle], hosts=hosts, isolation="shared") as pool:
        ((task, *_),) = pool.tasks.values()
        until = time.perf_counter() + seconds

        def drive(number: int) -> None:
            while time.perf_counter() < until:
                with pool.episode(task.id) as episode:
                    episode.reset(counts[number])
                    for _ in range(_CALLS):
                        episode.step(call)
                    episode.step(FinalAnswer(text=""))
                counts[number] += 1

        drivers = [threading.Thread(target=drive, args=(number,)) for number in range(hosts)]
        for driver in drivers:
            driver.start()
        for driver in drivers:
            driver.join()
    return sum(counts) / seconds
