"""Ends of sealed processes and open instances, counted by reason for an operator."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from synthesis.errors import InstanceClosed
from synthesis.worlds.limits import Limits
from synthesis.worlds.open_instances import OPEN_INSTANCES
from synthesis.worlds.sandbox.kills import KILLS, KillReason, reason_of
from synthesis.worlds.sandbox.worker_exit import WorkerExit

from .conftest import MakeWorld, tool

ADD = tool('return {"id": db.insert("folders", name=str(db.random.random()))}', name="add")
SPIN = tool(
    "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"
)


@pytest.fixture
def counted() -> Callable[[], dict[str, int]]:
    """What came since the test began, by reason."""
    before = Counter(KILLS.by_reason())
    return lambda: {reason.value: count for reason, count in (Counter(KILLS.by_reason()) - before).items()}


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (-signal.SIGSYS, KillReason.FORBIDDEN_CALL),
        (-signal.SIGKILL, KillReason.KILLED),
        (-signal.SIGXCPU, KillReason.TIME),
        (-signal.SIGSEGV, KillReason.CRASH),
        (-40, KillReason.CRASH),
        (WorkerExit.OUT_OF_MEMORY, KillReason.MEMORY),
        (WorkerExit.WIRE_BROKEN, KillReason.ENDED),
        (0, KillReason.ENDED),
        (None, KillReason.ENDED),
    ],
)
def test_every_end_has_a_reason(status: int | None, reason: KillReason) -> None:
    assert reason_of(status) is reason


@pytest.mark.parametrize("isolation", ["process", "shared"])
def test_a_killed_process_is_counted_once_and_a_closed_one_never(
    make_world: MakeWorld, counted: Callable[[], dict[str, int]], isolation: str
) -> None:
    with make_world(ADD, isolation=isolation).instance() as instance:
        assert instance.call("add").ok
        os.kill(instance._slot.shared_worker.pid, signal.SIGKILL)  # type: ignore[union-attr]
        assert instance.call("add").status == "error"
        assert instance.call("add").ok
    assert counted() == {"killed": 1}


def test_a_shared_process_that_ended_unasked_is_counted_by_whoever_comes_next(
    make_world: MakeWorld, counted: Callable[[], dict[str, int]]
) -> None:
    with make_world(ADD, isolation="shared") as world, world.instance() as instance:
        worker = instance._slot.shared_worker  # type: ignore[union-attr]
        os.kill(worker.pid, signal.SIGKILL)
        while not worker._worker.has_ended:
            time.sleep(0.01)
        with world.instance() as other:
            assert other.call("add").ok
    assert counted() == {"killed": 1}


def test_a_shared_process_that_ends_behind_its_answer_is_closed_by_whoever_got_that(
    make_world: MakeWorld, counted: Callable[[], dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_world(ADD, isolation="shared") as world, world.instance() as instance:
        worker = instance._slot.shared_worker  # type: ignore[union-attr]
        request = worker._worker.request

        def answered_and_killed(*arguments: Any, **options: Any) -> Any:
            answer = request(*arguments, **options)
            os.kill(worker.pid, signal.SIGKILL)
            while not worker._worker.has_ended:
                time.sleep(0.01)
            with world.instance() as other:  # it finds the process dead, whose turn this one still has
                assert other.call("add").ok
            return answer

        monkeypatch.setattr(worker._worker, "request", answered_and_killed)
        assert instance.call("add").ok
        assert not worker.alive
    assert counted() == {"killed": 1}


def test_a_call_that_does_not_stop_in_time_is_counted(
    make_world: MakeWorld, counted: Callable[[], dict[str, int]]
) -> None:
    with make_world(SPIN, limits=Limits(call_seconds=0.2, grace_seconds=0.2)).instance() as instance:
        assert instance.call("act").status == "error"
    assert counted() == {"time": 1}


def test_open_instances_are_counted_over_all_worlds(make_world: MakeWorld) -> None:
    before = len(OPEN_INSTANCES)
    with make_world(ADD) as first, make_world(ADD) as second:
        instance, _ = first.instance(), second.instance()
        assert len(OPEN_INSTANCES) == before + 2
        instance.close()
        instance.close()
        assert len(OPEN_INSTANCES) == before + 1
    assert len(OPEN_INSTANCES) == before
    with pytest.raises(InstanceClosed):
        first.instance()
    assert len(OPEN_INSTANCES) == before
