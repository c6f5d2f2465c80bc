"""Suite `worlds`: every row of the goal table, in both isolation modes, beside the predecessor's manner."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import memory
from benchmarks.baseline import baseline
from benchmarks.machine import machine
from benchmarks.sample import Sample, milliseconds, rounded
from benchmarks.served import mcp_load, served
from benchmarks.subject import Subject, subject
from synthesis.bundles.open import open_bundle
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.episode import Episode
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.fork_client import fork_client
from synthesis.worlds.toolset import REMEMBERED
from synthesis.worlds.world import Instance, Isolation, World

MANY = 1024
SIDE_BY_SIDE = 64
THREADS = 4
LIMITS = Limits(max_instances=MANY + SIDE_BY_SIDE)

KEYS = (
    "first_call_ms",
    "compile_ms",
    "instances_1024_s",
    "instance_kib",
    "server_mib",
    "call_ms",
    "calls_per_s",
    "mcp_calls_per_s",
    "mcp_p99_ms",
    "reset_ms",
    "episodes_per_s",
)
"""The figures of each mode."""


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Args:
        times: Repetitions of a single thing.
        seconds: How long a load lasts.
        many: Live instances; figures "for 1,024" are scaled when it is another number.
        copies: Server processes of the baseline launched together.
    """

    times: int = 200
    seconds: float = 8.0
    many: int = MANY
    copies: int = 16


FULL = Effort()
QUICK = Effort(times=30, seconds=1.2, many=128, copies=3)


def run(*, effort: Effort = FULL, bundle: Path | None = None) -> dict[str, Any]:
    """All figures of `process`, `shared` and `baseline`, and how many times better than the baseline."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        measured = subject(folder, bundle)
        figures: dict[str, Any] = {
            "suite": "worlds",
            "machine": machine(),
            "environment": {
                **measured.environment.counts,
                "read": measured.read.name,
                "write": measured.write.name,
            },
            "effort": effort.__dict__,
            "process": _mode(measured, folder, "process", effort),
            "shared": _mode(measured, folder, "shared", effort),
            "baseline": baseline(
                measured,
                folder,
                copies=effort.copies,
                seconds=effort.seconds,
                starts=max(3, effort.copies // 2),
            ),
        }
    for mode in ("process", "shared"):
        figures[mode]["ratio"] = _ratios(figures[mode], figures["baseline"])
    return figures


def _mode(measured: Subject, folder: Path, isolation: Isolation, effort: Effort) -> dict[str, Any]:
    fork_client()  # started once per service: no part of a world's cost
    compiled = milliseconds(lambda: _compile(measured.path, isolation), max(3, effort.times // 20))
    with World(measured.environment, isolation=isolation, limits=LIMITS) as world:
        first = milliseconds(lambda: _first_call(world, measured.read), effort.times, warm_up=3)
        many = _many(world, measured, effort.many)
        with world.instance() as instance:
            calls = [measured.read, measured.write]
            called = _calls(instance, calls, effort.times * 10)
            resets = milliseconds(lambda: instance.reset(), effort.times)  # noqa: PLW0108 - reset takes a seed
        throughput = _throughput(world, calls, effort.seconds, batch=1)
        batched = _throughput(world, calls, effort.seconds, batch=32)
        episodes = _episodes(world, measured, effort.seconds)
    with served(measured.path, isolation=isolation, log=folder / f"{isolation}.log") as (url, pid):
        load = mcp_load(url, pid, calls, seconds=effort.seconds).as_json()
    return {
        "first_call_ms": rounded(first.median),
        "compile_ms": rounded(compiled.median),
        **many,
        "call_ms": rounded(called.median),
        "calls_per_s": rounded(throughput),
        "batched_calls_per_s": rounded(batched),
        **{key: load[key] for key in ("mcp_calls_per_s", "mcp_calls_per_core_s", "mcp_p99_ms")},
        "reset_ms": rounded(resets.median),
        "episodes_per_s": rounded(episodes),
        "spread": {
            "first_call_ms": first.as_json(),
            "compile_ms": compiled.as_json(),
            "call_ms": called.as_json(),
            "reset_ms": resets.as_json(),
            "mcp_ms": load["mcp_ms"],
        },
    }


def _compile(path: Path, isolation: Isolation) -> None:
    """From a bundle on disk to a world that gives instances, as in a process that never saw it."""
    REMEMBERED.forget()
    with World(open_bundle(path).environment, isolation=isolation, limits=LIMITS) as world, world.instance():
        pass


def _first_call(world: World, call: ToolCall) -> None:
    with world.instance() as instance:
        _expect_ok(instance, call)


def _expect_ok(instance: Instance, call: ToolCall) -> None:
    result = instance.call(call.name, call.arguments)
    if result.status != "ok":
        raise RuntimeError(f"{call.name}: {result.status}: {result.message}")


def _many(world: World, measured: Subject, count: int) -> dict[str, Any]:
    """Live instances that have each worked: how long they take and what they weigh."""
    own = memory.descendants(fork_client().pid)
    before, free = memory.pss_kib(own), memory.available_kib()

    def work(seed: int) -> Instance:
        instance = world.instance(seed=seed)
        for call in (measured.read, measured.write):
            _expect_ok(instance, call)
        return instance

    began = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as threads:
        instances = list(threads.map(work, range(count)))
    took = time.perf_counter() - began
    after = memory.pss_kib(memory.descendants(fork_client().pid))
    grown = free - memory.available_kib() if before is None or after is None else after - before
    service = memory.rss_kib(fork_client().pid) if after is None else 0
    whole = (after or grown + service) + (memory.pss_kib({os.getpid()}) or memory.rss_kib(os.getpid()))
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(Instance.close, instances))
    figures: dict[str, Any] = {
        "instances_1024_s": rounded(took * MANY / count),
        "instance_kib": rounded(grown / count),
        "server_mib": rounded((whole - grown + grown * MANY / count) / 1024),
    }
    if count != MANY:
        figures["notes"] = {"instances_1024_s": f"{count} made, times {MANY}/{count}; server_mib likewise"}
    return figures


def _calls(instance: Instance, calls: list[ToolCall], times: int) -> Sample:
    """Single calls from one thread, each kind in turn."""
    values = []
    for number in range(times):
        call = calls[number % len(calls)]
        began = time.perf_counter()
        _expect_ok(instance, call)
        values.append((time.perf_counter() - began) * 1000)
    return Sample(tuple(values))


def _throughput(world: World, calls: list[ToolCall], seconds: float, *, batch: int) -> float:
    """Calls a second over many instances from a few threads."""
    instances = [world.instance(seed=seed) for seed in range(SIDE_BY_SIDE)]
    counts = [0] * THREADS
    pairs = [calls[number % len(calls)] for number in range(batch)]
    until = time.perf_counter() + seconds

    def work(place: int) -> None:
        mine = instances[place::THREADS]
        while time.perf_counter() < until:
            for number, instance in enumerate(mine):
                if batch == 1:
                    _expect_ok(instance, calls[number % len(calls)])
                elif any(result.status != "ok" for result in instance.call_many(pairs)):
                    raise RuntimeError("a call of a batch failed")
            counts[place] += len(mine) * batch

    began = time.perf_counter()
    _together(work)
    took = time.perf_counter() - began
    for instance in instances:
        instance.close()
    return sum(counts) / took


def _episodes(world: World, measured: Subject, seconds: float) -> float:
    """Ten-call episodes a second: reset, calls, verification, trajectory kept."""
    counts = [0] * THREADS
    until = time.perf_counter() + seconds

    def work(place: int) -> None:
        with Episode(world, measured.task.id) as episode:
            while time.perf_counter() < until:
                episode.reset(seed=counts[place])
                for call in measured.episode:
                    episode.step(call)
                *_, terminated, _, _ = episode.step(FinalAnswer(text=measured.task.reference_answer))
                if not terminated or episode.verdict is None or episode.verdict.label != "completed":
                    raise RuntimeError(f"the episode came to {episode.verdict}")
                episode.trajectory(agent="benchmark")
                counts[place] += 1

    began = time.perf_counter()
    _together(work)
    return sum(counts) / (time.perf_counter() - began)


def _together(work: Any) -> None:
    """Run `work(place)` in THREADS threads; the first failure is raised here."""
    failures: list[BaseException] = []

    def guarded(place: int) -> None:
        try:
            work(place)
        except BaseException as error:  # noqa: BLE001 - raised again where the threads are joined
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(place,)) for place in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def _ratios(mode: dict[str, Any], base: dict[str, Any]) -> dict[str, float]:
    """How many times better than the baseline, whichever way is better."""
    results = {}
    for key in KEYS:
        ours, theirs = mode.get(key), base.get(key)
        if ours and theirs:
            results[key] = rounded(ours / theirs if key.endswith("_per_s") else theirs / ours)
    return results
