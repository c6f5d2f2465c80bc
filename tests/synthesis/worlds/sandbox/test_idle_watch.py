"""The idle watch: who works although nobody asked is ended; who waits or is asked is not."""

from __future__ import annotations

import os
import signal
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
        self.answered: float | None = None

    def condemn(self) -> None:
        self.condemned += 1


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Process]]:
    monkeypatch.setattr(idle_watch, "SECONDS", 0.0)
    monkeypatch.setattr(idle_watch, "ALLOWED_SHARE", 0.02)
    processes: list[Process] = []

    def started(code: str) -> Process:
        processes.append(Process(code))
        return processes[-1]

    yield started
    for each in processes:
        each.process.kill()
        each.process.wait()


SPIN, WAIT = "while True: pass", "import time; time.sleep(60)"


def used(pid: int) -> float:
    return idle_watch.cpu_seconds(pid) or 0.0


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


class Clockwork:
    """A worker whose CPU time a test sets."""

    def __init__(self, pid: int) -> None:
        self.pid, self.requests, self.busy, self.condemned = pid, 0, False, 0
        self.answered: float | None = None

    def condemn(self) -> None:
        self.condemned += 1


def looked_twice(monkeypatch: pytest.MonkeyPatch, used: dict[int, float], seconds: float) -> list[Clockwork]:
    """Idle workers after two looks, between which each used so many CPU seconds."""
    watch, workers = IdleWatch(), [Clockwork(pid) for pid in used]
    for worker in workers:
        watch.add(worker)
    now = time.monotonic()
    for moment, times in (
        (now, dict.fromkeys(used, 7.0)),
        (now + seconds, {p: 7.0 + u for p, u in used.items()}),
    ):
        monkeypatch.setattr(idle_watch.time, "monotonic", lambda moment=moment: moment)
        monkeypatch.setattr(idle_watch, "cpu_seconds", times.get)
        watch.look()
    return workers


def test_a_crowd_that_shares_the_processors_is_ended_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    each = 2.0 * idle_watch._PROCESSORS / 300
    used = dict.fromkeys(range(300), each) | dict.fromkeys(range(300, 350), 0.0)
    workers = looked_twice(monkeypatch, used, 2.0)
    assert [worker.condemned for worker in workers] == [1] * 300 + [0] * 50


def test_the_end_of_an_answer_counts_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = looked_twice(monkeypatch, {1: 0.02, 2: 0.001}, 2.0)
    assert [worker.condemned for worker in workers] == [0, 0]


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
        worker.answered = used(worker.pid)
        watch.look()
        work_for(worker, 0.1)
        worker.requests += 1
    assert worker.condemned == 0


def test_what_a_worker_uses_after_its_answer_is_seen_at_the_first_look(
    start: Callable[[str], Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle_watch, "SECONDS", 0.25)
    watch, spinning, waiting = IdleWatch(), start(SPIN), start(SPIN)
    for worker in (spinning, waiting):
        watch.add(worker)
        work_for(worker, 0.3)  # while it was asked
    spinning.requests = waiting.requests = 1
    spinning.answered = used(spinning.pid) - 0.2
    waiting.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, waiting.pid, os.WSTOPPED)
    waiting.answered = used(waiting.pid)
    watch.look()
    assert (spinning.condemned, waiting.condemned) == (1, 0)


def test_it_looks_again_soon_while_some_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, worker, now = IdleWatch(), Clockwork(1), time.monotonic()
    watch.add(worker)
    monkeypatch.setattr(idle_watch.time, "monotonic", lambda: now)
    monkeypatch.setattr(idle_watch, "cpu_seconds", lambda _: 3.0)
    worker.answered = 3.0
    watch.look()
    assert watch.pause == idle_watch.SECONDS
    worker.requests, worker.answered, now = 1, 2.0, now + 1
    watch.look()
    assert worker.condemned == 1
    assert watch.pause == pytest.approx(idle_watch.ALERT_SECONDS)


def test_who_has_ended_is_no_trouble(start: Callable[[str], Process]) -> None:
    watch, worker = IdleWatch(), start("pass")
    watch.add(worker)
    worker.process.wait()
    watch.look()
    watch.look()
    assert worker.condemned == 0


def test_it_looks_only_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, looked = IdleWatch(), []
    monkeypatch.setattr(idle_watch, "cpu_seconds", looked.append)
    worker = Process("pass")
    worker.process.wait()
    watch.add(worker)
    for _ in range(100):
        watch.look()
    assert looked == [worker.pid]


def test_another_users_process_is_seen_too() -> None:
    assert used(os.getppid()) >= 0.0
    assert idle_watch.cpu_seconds(os.getpid()) is not None
