"""Instances: what a reset, a snapshot and a neighbour leave of one, and how many there may be."""

from __future__ import annotations

import sqlite3
import threading
from typing import Any

import pytest

from synthesis.documents.tools import ToolCall
from synthesis.errors import BrokenEnvironment, CapacityExhausted, InstanceClosed, UnknownName
from synthesis.worlds.limits import Limits
from synthesis.worlds.worker_slots import SharedWorkerSlot
from synthesis.worlds.world import World

from .conftest import MakeWorld, tool

KEEPING = "KEPT = []\n\n\n" + tool('list.append(KEPT, 1)  # past the lint\nreturn {"n": len(KEPT)}')


def test_nothing_in_a_module_survives_a_reset_or_a_restore(make_world: MakeWorld) -> None:
    with make_world(KEEPING).instance() as instance:
        snapshot = instance.snapshot()
        assert [instance.call("act").value for _ in range(2)] == [{"n": 1}, {"n": 2}]
        instance.reset()
        assert instance.call("act").value == {"n": 1}
        instance.restore(snapshot)
        assert instance.call("act").value == {"n": 1}


def test_a_snapshot_holds_clock_and_counter(notes: World) -> None:
    with notes.instance(seed=5) as instance, notes.instance() as other:
        instance.call("add_note", {"folder_id": 1, "text": "a"})
        snapshot = instance.snapshot()
        assert (snapshot.calls, snapshot.seed) == (1, 5)
        instance.call("add_note", {"folder_id": 1, "text": "b"})
        other.restore(snapshot)
        other.call("add_note", {"folder_id": 1, "text": "b"})
        assert other.state_hash() == instance.state_hash()
        assert snapshot == instance.snapshot() or snapshot.hash != instance.state_hash()


def test_a_diff_counts_from_the_reset_or_from_a_snapshot(notes: World) -> None:
    with notes.instance() as instance:
        instance.call("add_note", {"folder_id": 1, "text": "a"})
        middle = instance.snapshot()
        instance.call("delete_note", {"note_id": 1})
        assert [(c.key, c.kind) for c in instance.diff().changes] == [(1, "deleted"), (3, "inserted")]
        assert [(c.key, c.kind) for c in instance.diff(middle).changes] == [(1, "deleted")]
        instance.restore(middle)
        assert [(c.key, c.kind) for c in instance.diff().changes] == [(3, "inserted")]
        instance.reset()
        assert not instance.diff()


def test_a_query_reads_and_cannot_write(notes: World) -> None:
    with notes.instance() as instance:
        assert instance.query("SELECT id FROM notes WHERE id > ? ORDER BY id", 1) == [{"id": 2}]
        assert len(instance.query("SELECT * FROM notes", limit=1)) == 1
        for sql in ("DELETE FROM notes", "SELECT nothing", "PRAGMA query_only = OFF", "COMMIT", ""):
            if sql:
                with pytest.raises(BrokenEnvironment):
                    instance.query(sql)
        assert instance.calls == 0
        assert not instance.diff()


def test_a_query_that_does_not_end_is_stopped(make_world: MakeWorld) -> None:
    world = make_world(limits=Limits(call_seconds=0.2, grace_seconds=2))
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with world.instance() as instance, pytest.raises(BrokenEnvironment, match="OutOfTime"):
        instance.query(endless)


def test_calls_of_a_batch_equal_calls_one_by_one(notes: World) -> None:
    calls: list[Any] = [("add_note", {"folder_id": 1, "text": f"n{i}"}) for i in range(70)]
    calls += [("nothing", {}), ToolCall(name="list_notes"), ("add_note", {"folder_id": "x"})]
    with notes.instance() as one, notes.instance() as other:
        together = one.call_many(calls)
        single = [
            other.call(c.name, c.arguments) if isinstance(c, ToolCall) else other.call(*c) for c in calls
        ]
        assert together == [
            result.model_copy(update={"seconds": t.seconds})
            for result, t in zip(single, together, strict=True)
        ]
        assert one.state_hash() == other.state_hash()


def test_two_threads_on_one_instance_take_turns(notes: World) -> None:
    with notes.instance() as instance:

        def add() -> None:
            for _ in range(20):
                assert instance.call("add_note", {"folder_id": 1, "text": "x"}).ok

        threads = [threading.Thread(target=add) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert instance.calls == 80
        assert instance.query("SELECT count(*) AS n, max(id) AS m FROM notes") == [{"n": 82, "m": 82}]


def test_too_many_waiting_callers_are_refused(make_world: MakeWorld) -> None:
    limits = Limits(call_seconds=1, grace_seconds=1, max_waiting=1)
    with make_world(tool("while True:\n    pass"), limits=limits).instance() as instance:
        threads = [threading.Thread(target=instance.call, args=("act",)) for _ in range(2)]
        for thread in threads:
            thread.start()
        while instance._queue.waiting < 2:
            pass
        with pytest.raises(CapacityExhausted, match="already wait"):
            instance.call("act")
        for thread in threads:
            thread.join()


def test_a_closed_instance_refuses_and_closes_twice(notes: World) -> None:
    instance = notes.instance()
    live = notes.live
    instance.close()
    instance.close()
    assert notes.live == live - 1
    with pytest.raises(InstanceClosed):
        instance.call("list_notes")
    with pytest.raises(InstanceClosed):
        instance.reset()


def test_a_closed_world_makes_no_instance(make_world: MakeWorld) -> None:
    world = make_world()
    instance = world.instance()
    world.close()
    world.close()
    assert instance.closed
    with pytest.raises(InstanceClosed):
        world.instance()


def test_instances_are_limited_with_a_clear_refusal(make_world: MakeWorld) -> None:
    world = make_world(limits=Limits(max_instances=2))
    world.instance()
    second = world.instance()
    with pytest.raises(CapacityExhausted, match=r"already has 2 instances.*Limits\.max_instances"):
        world.instance()
    second.close()
    world.instance()


def test_a_world_looks_into_a_snapshot(notes: World) -> None:
    assert notes.rows(notes.base, "SELECT name FROM folders ORDER BY id") == [
        {"name": "home"},
        {"name": "work"},
    ]
    with pytest.raises(BrokenEnvironment):
        notes.rows(notes.base, "DELETE FROM folders")


def test_an_unknown_task_is_named(notes: World) -> None:
    with pytest.raises(UnknownName, match="add_one"):
        notes.verify_code("nothing", notes.base, notes.base, "")


@pytest.mark.parametrize("isolation", ["process", "shared"])
def test_instances_do_not_see_each_others_rows(make_world: MakeWorld, isolation: str) -> None:
    world = make_world(isolation=isolation)
    with world.instance() as one, world.instance() as other:
        one.call("add_note", {"folder_id": 1, "text": "mine"})
        assert not other.diff()
        assert other.state_hash() == world.base.hash
        one.reset()
        assert one.state_hash() == world.base.hash


def test_shared_processes_hold_many_instances_and_give_each_call_a_fresh_namespace(
    make_world: MakeWorld,
) -> None:
    world = make_world(KEEPING, isolation="shared")
    instances = [world.instance() for _ in range(9)]
    assert len({instance._slot.shared_worker.pid for instance in instances}) <= 4  # type: ignore[union-attr]
    assert [instance.call("act").value for instance in instances * 2] == [{"n": 1}] * 18


COUNTING = tool(
    """
db.noted = getattr(db, "noted", 0) + 1
counted = db.query("SELECT changes() AS n, last_insert_rowid() AS last, datetime('now') AS now")[0]
db.insert("notes", folder_id=1, text="more")
return {**counted, "made": db.one("SELECT changes() AS n")["n"], "noted": db.noted}
"""
)


def test_a_place_that_was_left_in_a_shared_process_tells_nothing_of_its_last_instance(
    make_world: MakeWorld,
) -> None:
    def seen(world: World) -> list[Any]:
        with world.instance(seed=3) as instance:
            clock = instance.query("SELECT datetime('now') AS now")
            calls = [instance.call("act").value for _ in range(3)]
            return [clock, calls, instance.rows(limit=50), instance.diff(), instance.state_hash()]

    world = make_world(COUNTING, isolation="shared")
    first = seen(world)
    assert [call["made"] for call in first[1]] == [1, 1, 1]
    assert [call["n"] for call in first[1]] == [0, 0, 0]
    assert all(seen(world) == first for _ in range(6))
    assert seen(make_world(COUNTING)) == first


def test_no_two_instances_get_the_same_place_of_a_shared_process(make_world: MakeWorld) -> None:
    world = make_world(isolation="shared")
    for count in (3, 25, 25, 1):
        instances = [world.instance() for _ in range(count)]
        seats = [each._slot for each in instances]
        assert (
            len({(slot.shared_worker.pid, slot.key) for slot in seats if isinstance(slot, SharedWorkerSlot)})
            == count
        )
        for number, instance in enumerate(instances):
            instance.call("add_note", {"folder_id": 1, "text": str(number)})
        for number, instance in enumerate(instances):
            assert [row.after["text"] for row in instance.diff().changes if row.after] == [str(number)]
            instance.close()
            instance.close()


def test_the_image_is_an_ordinary_database(notes: World, tmp_path: Any) -> None:
    (tmp_path / "x.db").write_bytes(notes.base.image)
    with sqlite3.connect(tmp_path / "x.db") as connection:
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (2,)
    connection.close()
