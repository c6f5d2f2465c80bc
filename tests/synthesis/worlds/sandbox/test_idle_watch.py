"""The idle watch: who works although nobody asked is ended; who waits or is asked is not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from synthesis.worlds.sandbox import idle_watch
from synthesis.worlds.sandbox.idle_watch import IdleWatch


class Process:
    """A process that stands for a worker."""

    def __init__(self, code: str) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", code])
        self.pid, self.requests, self.busy, self.condemned = self.process.pid, 0, False, 0

    def condemn(self) -> None:
        self.condemned += 1


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Process]]:
    monkeypatch.setattr(idle_watch, "SECONDS", 0.0)
    monkeypatch.setattr(idle_watch, "ALLOWED", 0.05)
    made: list[Process] = []

    def started(code: str) -> Process:
        made.append(Process(code))
        return made[-1]

    yield started
    for each in made:
        each.process.kill()
        each.process.wait()


SPIN, WAIT = "while True: pass", "import time; time.sleep(60)"


def used(pid: int) -> float:
    return idle_watch._cpu_seconds(pid) or 0.0


def work_for(process: Process, seconds: float) -> None:
    """Wait until the process has used so much CPU time more, however slow the machine is."""
    until, deadline = used(process.pid) + seconds, time.monotonic() + 30
    while used(process.pid) < until and time.monotonic() < deadline:
        time.sleep(0.01)


def test_who_works_unasked_is_ended(start: Callable[[str], Process]) -> None:
    watch, spinning, waiting = IdleWatch(), start(SPIN), start(WAIT)
    watch.add(spinning)
    watch.add(waiting)
    work_for(waiting, -1)
    time.sleep(0.3)  # the waiting one has started by now
    watch.look()
    work_for(spinning, 0.2)
    watch.look()
    assert (spinning.condemned, waiting.condemned) == (1, 0)


def test_who_is_asked_may_work(start: Callable[[str], Process]) -> None:
    watch, worker = IdleWatch(), start(SPIN)
    watch.add(worker)
    worker.busy = True
    for _ in range(3):
        watch.look()
        work_for(worker, 0.1)
    assert worker.condemned == 0


def test_who_was_asked_between_two_looks_may_have_worked(start: Callable[[str], Process]) -> None:
    watch, worker = IdleWatch(), start(SPIN)
    watch.add(worker)
    for _ in range(3):
        watch.look()
        work_for(worker, 0.1)
        worker.requests += 1
    assert worker.condemned == 0


def test_who_has_ended_is_no_trouble(start: Callable[[str], Process]) -> None:
    watch, worker = IdleWatch(), start("pass")
    watch.add(worker)
    worker.process.wait()
    watch.look()
    watch.look()
    assert worker.condemned == 0


def test_it_looks_only_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, looked = IdleWatch(), []
    monkeypatch.setattr(idle_watch, "_cpu_seconds", looked.append)
    worker = Process("pass")
    worker.process.wait()
    watch.add(worker)
    for _ in range(100):
        watch.look()
    assert looked == [worker.pid]


def test_another_users_process_is_seen_too() -> None:
    assert used(os.getppid()) >= 0.0
    assert idle_watch._cpu_seconds(os.getpid()) is not None
