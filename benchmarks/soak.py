"""Suite `soak`: a million calls, with the memory of every process that serves them."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import memory
from benchmarks.machine import machine
from benchmarks.sample import rounded
from benchmarks.subject import subject
from synthesis.worlds.sandbox.fork_client import fork_client
from synthesis.worlds.world import World

CALLS = 1_000_000
EVERY = 10_000
INSTANCES = 16
BATCH = 50


def run(
    *, calls: int = CALLS, every: int = EVERY, bundle: Path | None = None, report: Any = None
) -> dict[str, Any]:
    """Call for a long time; each instance begins again after 2,000 of its calls, as episodes do.

    Args:
        calls: How many.
        every: After how many the memory is read.
        bundle: The environment; a procedural one by default.
        report: Called with each reading.
    """
    readings: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as place:
        measured = subject(Path(place), bundle)
        batch = [measured.read, measured.write] * (BATCH // 2)
        with World(measured.environment) as world:
            instances = [world.instance(seed=seed) for seed in range(INSTANCES)]
            count, began = 0, time.perf_counter()
            while count < calls:
                instance = instances[count // BATCH % INSTANCES]
                if instance.calls >= 2_000:
                    instance.reset()
                if any(result.status != "ok" for result in instance.call_many(batch)):
                    raise RuntimeError("a call failed")
                count += BATCH
                if count % every == 0:
                    readings.append(_reading(count, time.perf_counter() - began))
                    if report is not None:
                        report(readings[-1])
    return {"suite": "soak", "machine": machine(), "calls": count, "readings": readings, **_growth(readings)}


def _reading(count: int, seconds: float) -> dict[str, float]:
    own, workers = memory.pss_kib({os.getpid()}), memory.pss_kib(memory.descendants(fork_client().pid))
    return {
        "calls": count,
        "service_kib": memory.rss_kib(os.getpid()) if own is None else own,
        "sandbox_kib": -1 if workers is None else workers,
        "calls_per_s": rounded(count / seconds),
    }


def _growth(readings: list[dict[str, float]]) -> dict[str, float]:
    """Memory at the end against after a tenth, when caches are warm."""
    early, late = readings[len(readings) // 10], readings[-1]
    return {
        "service_growth": rounded(late["service_kib"] / early["service_kib"]),
        "sandbox_growth": rounded(late["sandbox_kib"] / early["sandbox_kib"]),
    }
