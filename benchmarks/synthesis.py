"""Synthesis with a model at scale: overhead, busy slots, memory, kills, broken replies.

A batch goes through the whole studio: Celery workers as processes of their own, the database, the pipeline,
the sandbox. The model is a scripted local endpoint over real HTTP, in a process of its own, which answers
after 0.2 to 2 seconds with replies of realistic size (about 120 kB for a whole environment), one in ten of
them broken. DATABASE_URL and CELERY_BROKER_URL are used when set (with a database of the benchmark's own);
SQLite and files otherwise.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from benchmarks.memory import descendants, pss_kib, rss_kib
from benchmarks.synthesis_studio import Studio, open_studio, stop, wait_while

FULL = {"environments": 1_000, "slots": 64, "workers": 2, "batch": 50, "kills": 20}
QUICK = {"environments": 50, "slots": 16, "workers": 1, "batch": 50, "kills": 20}
"""Fifty environments cannot fill 64 slots: each asks one question at a time."""

DELAY = (0.2, 2.0)
"""Seconds, from and to, before the endpoint answers."""

RUNS_PER_SLOT = 2
"""While some runs are checked, others wait for their answers."""

REQUESTS_PER_ENVIRONMENT = 11
"""What the scripted model is asked for an environment when nothing goes wrong."""

LOST_AFTER = 2.0
"""Seconds without a sign of life after which the benchmark's runs count as lost."""

LOOK_AT_ALL_SECONDS = 5.0
"""How often the memory of the sealed processes is read as well, which takes a while."""

TICKS = os.sysconf("SC_CLK_TCK")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """The figures; `args.quick` makes 50 environments instead of 1,000, `args.count` another number.

    `args.delay` makes the endpoint slower or faster, `args.unkilled` leaves the drill out.
    """
    delay: tuple[float, float] = tuple(getattr(args, "delay", None) or DELAY)
    sizes = dict(QUICK if args.quick else FULL)
    if args.count:
        sizes["environments"] = args.count
    figures: dict[str, Any] = {"suite": "synthesis", "machine": machine()}
    with endpoint(broken=0.1, delay=delay) as url, endpoint(broken=0.0, delay=(0.05, 0.4)) as reliable:
        environ = {
            "WORLDWRIGHT_ENDPOINT_CONCURRENCY": str(sizes["slots"]),
            "WORLDWRIGHT_HEARTBEAT_SECONDS": str(LOST_AFTER / 4),
            "WORLDWRIGHT_LOST_AFTER_SECONDS": str(LOST_AFTER),
        }
        with tempfile.TemporaryDirectory() as folder, open_studio(Path(folder), url, **environ) as studio:
            figures |= {"delay_s": list(delay)} | throughput(studio, url, **sizes)
            print(json.dumps(figures), file=sys.stderr, flush=True)
            if not getattr(args, "unkilled", False):
                studio.environ["OPENAI_BASE_URL"] = reliable
                figures |= killed(studio, reliable, first=sizes["environments"], **sizes)
    return figures | {"load_average_after": [round(load, 2) for load in os.getloadavg()]}


main = run


def throughput(
    studio: Studio, url: str, *, environments: int, slots: int, workers: int, **_: int
) -> dict[str, Any]:
    """A batch without kills, one reply in ten broken."""
    batch = studio.start_batch(environments)
    crew = [studio.start_worker(slots * RUNS_PER_SLOT // workers) for _ in range(workers)]
    watch = Watch([process.pid for process in crew])
    started = time.monotonic()
    try:
        wait_while(lambda: watch.look() and not studio.is_over(batch), crew, every=0.5)
        seconds = time.monotonic() - started
        watch.look()
    finally:
        for worker in crew:
            stop(worker)
    stats = ask_stats(url)
    states, (attempts, passed) = studio.states(batch), studio.attempts(batch)
    return {
        "environments": environments,
        "slots": slots,
        "workers": workers,
        "seconds": round(seconds, 1),
        "requests": stats["asked"],
        "broken_replies": stats["broken"],
        "attempts": attempts,
        "passed_attempts": passed,
        **studio.findings(batch),
        "cpu_s_per_environment": round(watch.cpu / environments, 3),
        "cpu_s_of_the_worker_itself": round(watch.own_cpu / environments, 3),
        "cpu_share_of_machine": round(watch.cpu / seconds / (os.cpu_count() or 1), 3),
        "slots_the_cores_can_feed": round(fed_slots(stats["levels"], watch.cpu), 1),
        "busy_share": round(busy_share(stats["levels"], slots), 3),
        "share_of_time_full": round(full_share(stats["levels"], slots), 3),
        "busy_share_whole": round(busy_share(stats["levels"], slots, whole=True), 3),
        "peak_mib": round(watch.peak_kib / 1024, 1),
        "peak_with_sandbox_mib": round(watch.peak_all_kib / 1024, 1),
        "growth_mib": round(watch.growth_kib / 1024, 1),
        "completed_share": round(states["finished"] / environments, 4),
        "failures": dict(studio.failures(batch)),
    }


def killed(
    studio: Studio, url: str, *, batch: int, kills: int, slots: int, first: int, **_: int
) -> dict[str, Any]:
    """A batch whose worker is killed at random moments and started again.

    The moments are spread over the batch by what was asked, not by the clock, and so is the time in which a
    worker starts: a busy machine makes the drill longer, not another one.
    """
    chance, lost_answers, total = random.Random(7), Counter[str](), 0
    number = studio.start_batch(batch, first=first)
    while not studio.is_over(number):
        worker = studio.start_worker(slots)
        gap = batch * REQUESTS_PER_ENVIRONMENT / kills * chance.uniform(0.3, 1.5)
        until = asked_so_far(url) + gap if total < kills else math.inf
        try:
            wait_while(partial(_goes_on, studio, number, url, until), [worker])
            time.sleep(chance.uniform(0.0, 1.0))
            # First stopped, so that what is in flight is counted exactly; then killed.
            os.killpg(worker.pid, signal.SIGSTOP)
            _let_come_in(url)
            if not studio.is_over(number):
                total += 1
                lost_answers.update(set(ask_stats(url)["recent"]) - studio.recorded())
        finally:
            stop(worker)
        time.sleep(LOST_AFTER * 1.25)
        studio.reap()
    asked = ask_stats(url)["repeated"]
    states, environments = studio.states(number), studio.outcomes(number)
    prints = Counter(fingerprint for fingerprint, _ in environments)
    return {
        "batch": batch,
        "kills": total,
        "made": len(environments),
        "proved": sum(proved for _, proved in environments),
        "lost": batch - states["finished"],
        "duplicated": sum(count - 1 for count in prints.values()),
        "in_flight_at_kills": lost_answers.total(),
        "asked_twice": sum(count - 1 for count in asked.values()),
        "paid_twice": sum(max(0, count - 1 - lost_answers[key]) for key, count in asked.items()),
        "failures_after_kills": dict(studio.failures(number)),
    }


def _goes_on(studio: Studio, batch: int, url: str, until: float) -> bool:
    """Whether to wait on; answers that are kept are noted as they come, before their run is over."""
    studio.recorded()
    return asked_so_far(url) < until and not studio.is_over(batch)


def _let_come_in(url: str) -> None:
    """Wait for what the stopped worker had sent: a busy endpoint counts it a moment later."""
    before = -1
    while (asked := asked_so_far(url)) != before:
        before = asked
        time.sleep(0.5)


class Watch:
    """CPU seconds and memory of some processes with all that descend from them."""

    def __init__(self, roots: list[int]) -> None:
        self._roots = roots
        self._cpu, self._own = dict.fromkeys(roots, 0.0), dict.fromkeys(roots, 0.0)
        self._readings: list[int] = []
        self._next_look_at_all = 0.0
        self._sealed_kib = 0
        self.peak_all_kib = 0

    def look(self) -> bool:
        """Take a reading; always true."""
        resident = 0
        families = {root: descendants(root) for root in self._roots}
        for root, family in families.items():
            seconds = 0.0
            for pid in family:
                with suppress(OSError, IndexError, ValueError):
                    seconds += _cpu_seconds(pid)
            self._cpu[root] = max(self._cpu[root], seconds)
            with suppress(OSError, IndexError, ValueError):
                self._own[root] = max(self._own[root], _cpu_seconds(root, reaped=False))
            with suppress(OSError):
                resident += rss_kib(root)
        self._readings.append(resident)
        if time.monotonic() >= self._next_look_at_all:
            self._next_look_at_all = time.monotonic() + LOOK_AT_ALL_SECONDS
            self._sealed_kib = pss_kib(set().union(*families.values()) - set(self._roots)) or 0
        self.peak_all_kib = max(self.peak_all_kib, resident + self._sealed_kib)
        return True

    @property
    def cpu(self) -> float:
        """CPU seconds: of the workers, of their fork servers, and of the sealed processes these reaped."""
        return sum(self._cpu.values())

    @property
    def own_cpu(self) -> float:
        """CPU seconds of the workers alone: Celery, services, database, HTTP, JSON, the pipeline."""
        return sum(self._own.values())

    @property
    def peak_kib(self) -> int:
        """Most resident memory of the workers together."""
        return max(self._readings, default=0)

    @property
    def growth_kib(self) -> int:
        """Median of the last tenth less the median after the first third: growth with the number made."""
        count = len(self._readings)
        early = sorted(self._readings[count // 3 : count // 3 + max(count // 10, 1)])
        late = sorted(self._readings[-max(count // 10, 2) : -1] or self._readings[-1:])
        return late[len(late) // 2] - early[len(early) // 2] if early else 0


def _cpu_seconds(pid: int, *, reaped: bool = True) -> float:
    """Of a process and of all it reaped; one that is still alive counts by itself."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11 : 15 if reaped else 13]) / TICKS


def busy_share(levels: list[list[float]], slots: int, *, whole: bool = False) -> float:
    """Mean share of slots with a request in flight, while there are enough requests left to fill them.

    Args:
        levels: Moments in seconds and the requests in flight from then on.
        slots: Requests that may be in flight.
        whole: Count from the first request to the last answer instead, start and end included.
    """
    if whole:
        return _busy(levels, slots, levels[1][0], levels[-1][0]) if len(levels) > 1 else 0.0
    return _busy(levels, slots, *_steady(levels, slots))


def full_share(levels: list[list[float]], slots: int) -> float:
    """Share of the time in which all slots are taken, while there are enough requests left to fill them.

    Args:
        levels: Moments in seconds and the requests in flight from then on.
        slots: Requests that may be in flight.
    """
    return _busy([[at, level // slots] for at, level in levels], 1, *_steady(levels, slots))


def _steady(levels: list[list[float]], slots: int) -> tuple[float, float]:
    """From when the slots are full, or fullest, until too few requests are left to fill them."""
    full = next((at for at, level in levels if level >= slots * 0.9), None)
    starts = [at for (at, level), (_, before) in zip(levels[1:], levels, strict=False) if level > before]
    if full is None or not starts:
        peak = max(level for _, level in levels)
        full = next(at for at, level in levels if level == peak)
    # The last slots' worth of requests cannot fill the slots any more.
    return full, starts[-min(slots, len(starts))] if starts else full


def fed_slots(levels: list[list[float]], cpu: float) -> float:
    """How many slots the processors could keep busy in the long run, at this much CPU for so much waiting.

    Args:
        levels: Moments in seconds and the requests in flight from then on.
        cpu: CPU seconds that all of it took.
    """
    waited = sum(level * (until - at) for (at, level), (until, _) in itertools.pairwise(levels))
    return waited / cpu * (os.cpu_count() or 1) if cpu else 0.0


def _busy(levels: list[list[float]], slots: int, begin: float, end: float) -> float:
    busy = 0.0
    for (at, level), (until, _) in itertools.pairwise(levels):
        busy += level * max(0.0, min(until, end) - max(at, begin))
    return busy / (slots * (end - begin)) if end > begin else 0.0


def asked_so_far(url: str) -> int:
    """How many requests the endpoint got."""
    return int(ask_stats(url, "count")["asked"])


@contextmanager
def endpoint(*, broken: float, delay: tuple[float, float] = DELAY) -> Any:
    """The endpoint's base URL, while it runs."""
    command = [sys.executable, "-m", "benchmarks.synthesis_endpoint", "--broken", str(broken)]
    process = subprocess.Popen(
        [*command, "--delay", *map(str, delay)], stdout=subprocess.PIPE, text=True, env=_environment()
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def ask_stats(url: str, kind: str = "stats") -> dict[str, Any]:
    """What the endpoint counted."""
    body = json.dumps({"model": kind, "messages": []}).encode()
    request = urllib.request.Request(f"{url}/chat/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return dict(json.load(answer))


def _environment() -> dict[str, str]:
    """With the checkout on the path, so that the modules beside this one are found."""
    paths = [str(Path.cwd()), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
