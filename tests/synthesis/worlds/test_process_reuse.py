"""An instance that keeps its process begins again with whole rows and fresh tools, in the same process."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from synthesis.documents.tools import ToolResult
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.worker_process import WorkerProcess
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import Instance, World

from .conftest import MakeWorld, tool

KEEPING = "KEPT = []\n\n\n" + tool('list.append(KEPT, 1)  # past the lint\nreturn {"n": len(KEPT)}')
FIRST_AND_LATER: list[Any] = [
    ("add_note", {"folder_id": 1, "text": "a"}),
    ("add_note", {"folder_id": 9, "text": "refused"}),
    ("add_note", {"folder_id": 2, "text": "b"}),
]


def test_the_tools_are_loaded_anew_at_every_beginning(make_world: MakeWorld) -> None:
    with make_world(KEEPING).instance(keep_process=True) as instance:
        snapshot = instance.snapshot()
        assert [instance.call("act").value for _ in range(2)] == [{"n": 1}, {"n": 2}]
        instance.restore(snapshot)
        assert instance.call("act").value == {"n": 1}
        instance.reset()
        assert instance.call("act").value == {"n": 1}


def test_the_rows_the_clock_and_the_ids_are_those_of_a_process_of_its_own(notes: World) -> None:
    def history(*, keep_process: bool) -> list[Any]:
        with notes.instance(keep_process=keep_process) as instance:
            seen: list[Any] = []
            for _ in range(3):
                instance.reset()
                results = instance.call_many(FIRST_AND_LATER)
                seen += [[result.observation(), result.changes] for result in results]
                seen += [instance.state_hash(), instance.diff(), instance.rows(limit=10)]
            return seen

    assert history(keep_process=True) == history(keep_process=False)


def test_no_process_is_made_for_a_new_beginning(notes: World, forks: list[int]) -> None:
    with notes.instance(keep_process=True) as instance:
        count = len(forks)
        for _ in range(5):
            instance.reset()
            instance.restore(notes.base)
        assert len(forks) == count


def test_a_lost_process_is_replaced(make_world: MakeWorld) -> None:
    endless = tool("return {'n': sum(1 for _ in iter(int, 1))}", name="endless")

    world = make_world(KEEPING + "\n\n" + endless, limits=Limits(call_seconds=0.1, grace_seconds=0.1))
    with world.instance(keep_process=True) as instance:
        assert instance.call("endless").status == "error"
        instance.reset()
        assert instance.call("act").value == {"n": 1}


def test_calls_can_stop_at_the_first_that_does_not_succeed(notes: World) -> None:
    with notes.instance() as instance:
        results = instance.call_many(FIRST_AND_LATER, until_failure=True)
        assert [result.status for result in results] == ["ok", "refused"]
        assert instance.calls == 2
        assert len(instance.call_many(FIRST_AND_LATER)) == 3


@pytest.mark.parametrize("keep_process", [True, False])
@pytest.mark.parametrize("until_failure", [True, False])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_calls_from_a_state_are_a_restore_and_the_calls(
    notes: World, keep_process: bool, until_failure: bool, count: int
) -> None:
    calls = FIRST_AND_LATER[:count]
    with notes.instance(keep_process=keep_process) as one, notes.instance() as other:
        other.call("add_note", {"folder_id": 1, "text": "earlier"})
        states = [notes.base, other.snapshot()]
        for state in (*states, *states):
            other.restore(state)
            expected = other.call_many(calls, until_failure=until_failure)
            results = one.call_from(state, calls, until_failure=until_failure)
            assert [(each.observation(), each.changes) for each in results] == [
                (each.observation(), each.changes) for each in expected
            ]
            assert (one.calls, one.state_hash()) == (other.calls, other.state_hash())


def test_calls_from_a_state_begin_with_fresh_tools(make_world: MakeWorld) -> None:
    world = make_world(KEEPING)
    with world.instance(keep_process=True) as instance:
        for _ in range(3):
            results = instance.call_from(world.base, [("act", {}), ("act", {})])
            assert [each.value for each in results] == [{"n": 1}, {"n": 2}]


def test_calls_from_a_state_survive_a_lost_process_and_a_call_without_end(make_world: MakeWorld) -> None:
    endless = tool("return {'n': sum(1 for _ in iter(int, 1))}", name="endless")
    world = make_world(KEEPING + "\n\n" + endless, limits=Limits(call_seconds=0.2, grace_seconds=0.1))
    with world.instance(keep_process=True) as instance:
        first = instance.call_from(world.base, [("act", {}), ("endless", {}), ("act", {})])
        assert [each.status for each in first] == ["ok", "error", "ok"]
        alone = instance.call_from(world.base, [("endless", {})])
        assert [each.status for each in alone] == ["error"]
        os.kill(instance._slot.shared_worker.pid, signal.SIGKILL)  # type: ignore[union-attr]
        again = instance.call_from(world.base, [("act", {}), ("act", {})])
        assert [each.value for each in again] == [{"n": 1}, {"n": 2}]


EACH: list[Any] = [
    ("add_note", {"folder_id": 1, "text": "a"}),
    ("add_note", {"folder_id": 9, "text": "refused"}),
    ("add_note", {"folder_id": 1, "text": float("nan")}),
    ("unknown", {}),
    ("add_note", {"folder_id": 2, "text": "b"}),
    ("add_note", {"folder_id": 2, "text": "b"}),
]


def _all_each(instance: Instance, state: Snapshot, calls: list[Any], at_once: int) -> list[ToolResult]:
    results: list[ToolResult] = []
    while len(results) < len(calls):
        results += instance.call_each(state, calls[len(results) : len(results) + at_once])
    return results


@pytest.mark.parametrize("keep_process", [True, False])
@pytest.mark.parametrize("calls", [EACH, [EACH[0], EACH[1], EACH[3], EACH[4], EACH[5]] * 8])
def test_calls_each_from_a_state_are_calls_with_a_restore_after_those_that_change(
    notes: World, keep_process: bool, calls: list[Any]
) -> None:
    with (
        notes.instance(keep_process=keep_process) as one,
        notes.instance(keep_process=keep_process) as other,
    ):
        other.call("add_note", {"folder_id": 1, "text": "earlier"})
        for state in (other.snapshot(), notes.base):
            other.restore(state)
            one.restore(state)
            expected = []
            for call in calls:
                expected.append(other.call(*call))
                if expected[-1].changes:
                    other.restore(state)
            results = _all_each(one, state, calls, 5)
            assert [(each.observation(), each.changes) for each in results] == [
                (each.observation(), each.changes) for each in expected
            ]
            assert [len(each.changes) for each in results[:2]] == [1, 0]
            assert (one.calls, one.state_hash()) == (other.calls, other.state_hash())
            assert one.state_hash() == state.hash


def test_calls_each_from_a_state_take_one_exchange(notes: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    request = WorkerProcess.request

    def noted(self: WorkerProcess, op: str, *args: Any, **kwargs: Any) -> Any:
        asked.append(op)
        return request(self, op, *args, **kwargs)

    with notes.instance(keep_process=True) as instance:
        monkeypatch.setattr(WorkerProcess, "request", noted)
        assert len(instance.call_each(notes.base, [EACH[0], EACH[1], EACH[4]])) == 3
    assert asked == ["call_many"]


def test_calls_each_from_a_state_survive_a_lost_process_and_a_call_without_end(make_world: MakeWorld) -> None:
    endless = tool("return {'n': sum(1 for _ in iter(int, 1))}", name="endless")
    world = make_world(KEEPING + "\n\n" + endless, limits=Limits(call_seconds=0.2, grace_seconds=0.1))
    with world.instance(keep_process=True) as instance:
        results = _all_each(instance, world.base, [("act", {}), ("endless", {}), ("act", {})], 3)
        assert [each.status for each in results] == ["ok", "error", "ok"]
        os.kill(instance._slot.shared_worker.pid, signal.SIGKILL)  # type: ignore[union-attr]
        again = _all_each(instance, world.base, [("act", {}), ("act", {})], 2)
        assert [each.value for each in again] == [{"n": 1}, {"n": 2}]
