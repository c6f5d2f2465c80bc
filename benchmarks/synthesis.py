"""Synthesis with a model at scale: overhead, busy slots, memory, kills, broken replies.

Against a scripted local endpoint over real HTTP, in a process of its own, which answers after 0.2 to 2
seconds with replies of realistic size (about 120 kB for a whole environment), one in ten of them broken.
"""

from __future__ import annotations

import argparse
import itertools
import json
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
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from benchmarks.memory import descendants, rss_kib

FULL = {"environments": 1_000, "slots": 64, "workers": 2, "batch": 50, "kills": 20}
QUICK = {"environments": 50, "slots": 16, "workers": 2, "batch": 10, "kills": 5}
TICKS = os.sysconf("SC_CLK_TCK")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """The figures; `args.quick` makes 50 environments instead of 1,000."""
    sizes = QUICK if args.quick else FULL
    return {"suite": "synthesis", "machine": machine(), **throughput(**sizes), **killed(**sizes)}


main = run


def throughput(*, environments: int, slots: int, workers: int, **_: int) -> dict[str, Any]:
    """A batch without kills, one reply in ten broken."""
    with endpoint(broken=0.1) as url, tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        crew = [
            start_worker(Path(folder), url, slots // workers, (number, environments, workers))
            for number in range(workers)
        ]
        watch = Watch([process.pid for process in crew])
        while any(process.poll() is None for process in crew):
            watch.look()
            time.sleep(0.25)
        seconds = time.monotonic() - started
        outcomes, _log = read_outcomes(Path(folder))
        stats = ask_stats(url)
    failures = Counter(
        f"{one['error']}: {one['message'][:120]}" for one in outcomes.values() if "error" in one
    )
    completed = sum("fingerprint" in one for one in outcomes.values())
    return {
        "environments": environments,
        "slots": slots,
        "seconds": round(seconds, 1),
        "requests": stats["answered"],
        "broken_replies": stats["broken"],
        "cpu_s_per_environment": round(watch.cpu / environments, 3),
        "busy_share": round(busy_share(stats["levels"], slots), 3),
        "peak_mib": round(watch.peak_kib / 1024, 1),
        "growth_mib": round(watch.growth_kib / 1024, 1),
        "completed_share": round(completed / environments, 4),
        "failures": dict(failures),
    }


def killed(*, batch: int, kills: int, slots: int, **_: int) -> dict[str, Any]:
    """A batch whose worker is killed at random moments and started again."""
    chance, in_flight = random.Random(7), 0
    with endpoint(broken=0.0, delay=(0.05, 0.4)) as url, tempfile.TemporaryDirectory() as folder:
        made = 0
        while made < kills:
            worker = start_worker(Path(folder), url, slots, (0, batch, 1))
            time.sleep(chance.uniform(1.0, 4.0))
            if worker.poll() is not None:
                break
            made += 1
            # First stopped, so that what is in flight is counted exactly; then killed.
            worker.send_signal(signal.SIGSTOP)
            in_flight += len(ask_stats(url)["flying"])
            worker.kill()
            worker.wait()
        start_worker(Path(folder), url, slots, (0, batch, 1)).wait()
        outcomes, log = read_outcomes(Path(folder))
        repeated = sum(count - 1 for count in ask_stats(url)["repeated"].values())
    prints = Counter(one["fingerprint"] for one in outcomes.values() if "fingerprint" in one)
    return {
        "batch": batch,
        "kills": made,
        "lost": batch - len(outcomes),
        "duplicated": (len(log) - len(set(log))) + sum(count - 1 for count in prints.values()),
        "in_flight_at_kills": in_flight,
        "asked_twice": repeated,
        "paid_twice": max(0, repeated - in_flight),
    }


class Watch:
    """CPU seconds and memory of some processes with all that descend from them."""

    def __init__(self, roots: list[int]) -> None:
        self._roots = roots
        self._cpu = dict.fromkeys(roots, 0.0)
        self._readings: list[int] = []

    def look(self) -> None:
        """Take a reading."""
        resident = 0
        for root in self._roots:
            seconds = 0.0
            for pid in descendants(root):
                with suppress(OSError, IndexError, ValueError):
                    seconds += _cpu_seconds(pid)
            self._cpu[root] = max(self._cpu[root], seconds)
            with suppress(OSError):
                resident += rss_kib(root)
        self._readings.append(resident)

    @property
    def cpu(self) -> float:
        """CPU seconds: of the workers, of their fork servers, and of the sealed processes these reaped."""
        return sum(self._cpu.values())

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


def _cpu_seconds(pid: int) -> float:
    """Of a process and of all it reaped; one that is still alive counts by itself."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / TICKS


def busy_share(levels: list[list[float]], slots: int) -> float:
    """Mean share of slots with a request in flight, while there are enough requests left to fill them."""
    full = next((at for at, level in levels if level >= slots * 0.9), None)
    starts = [at for (at, level), (_, before) in zip(levels[1:], levels, strict=False) if level > before]
    if full is None or not starts:
        peak = max(level for _, level in levels)
        full = next(at for at, level in levels if level == peak)
    # The last slots' worth of requests cannot fill the slots any more.
    end = starts[-min(slots, len(starts))] if starts else full
    busy = 0.0
    for (at, level), (until, _) in itertools.pairwise(levels):
        busy += level * max(0.0, min(until, end) - max(at, full))
    return busy / (slots * (end - full)) if end > full else 0.0


@contextmanager
def endpoint(*, broken: float, delay: tuple[float, float] = (0.2, 2.0)) -> Any:
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


def start_worker(
    folder: Path, url: str, slots: int, numbers: tuple[int, int, int]
) -> subprocess.Popen[bytes]:
    """A worker that makes these environments in that folder."""
    command = [sys.executable, "-m", "benchmarks.synthesis_worker", str(folder), "--url", url]
    return subprocess.Popen(
        [*command, "--slots", str(slots), "--numbers", *map(str, numbers)], env=_environment()
    )


def ask_stats(url: str) -> dict[str, Any]:
    """What the endpoint counted."""
    body = json.dumps({"model": "stats", "messages": []}).encode()
    request = urllib.request.Request(f"{url}/chat/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return dict(json.load(answer))


def read_outcomes(folder: Path) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Outcome by environment, and the numbers as they were finished."""
    log = folder / "finished.log"
    outcomes = {path.stem: json.loads(path.read_text()) for path in (folder / "done").glob("*.json")}
    return outcomes, log.read_text().split() if log.exists() else []


def _environment() -> dict[str, str]:
    """With the checkout on the path, so that the modules beside this one are found."""
    paths = [str(Path.cwd()), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
