# ruff: noqa: E501 - tables of cases read better in one line
"""Tools that misbehave: each ends as a clear result, and the instance and its neighbours go on."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace

import pytest

from synthesis.worlds.limits import Limits
from synthesis.worlds.world import World

from .conftest import MakeWorld, make_environment, tool

LIMITS = Limits(call_seconds=0.4, grace_seconds=0.4, memory_mib=128, max_output_bytes=100_000)
UNHURRIED = replace(LIMITS, call_seconds=10, grace_seconds=10)
"""For tools that end by themselves: a busy machine must not turn what they did into a time-out."""

BAD = {
    "returns_a_generator": ("return (n for n in [1])", "a generator, which is not JSON"),
    "returns_nan": ('return {"a": [1.0, float("nan")]}', "nan, which is not a number in JSON at .a[1]"),
    "returns_infinity": ('return {"a": float("inf")}', "inf, which is not a number in JSON at .a"),
    "returns_a_set": ('return {"a": {1, 2}}', "a set, which is not JSON at .a"),
    "returns_bytes": ('return {"a": b"x"}', "a bytes, which is not JSON at .a"),
    "returns_a_lone_surrogate": ('return {"a": "\\ud800"}', "a lone surrogate"),
    "returns_a_cycle": ("a = []\na.append(a)\nreturn {'a': a}", "nested deeper than 32 levels or refers to itself"),
    "returns_a_number_key": ("return {1: 2}", "a key that is not text: 1"),
    "returns_a_huge_integer": ("return {'n': 2**64}", "an integer beyond 64 bits at .n"),
    "returns_too_deep": ("a = {}\nfor _ in range(60):\n    a = {'a': a}\nreturn a", "nested deeper than 32"),
    "returns_too_much": ("return {'x': 'y' * 200_000}", "at most 100,000 are allowed"),
    "returns_100_mb": ("return {'x': 'y' * 100_000_000}", ""),
    "recurses": ("def down():\n    return down()\nreturn down()", "RecursionError"),
    "allocates": ("a = []\nwhile True:\n    a.append(bytearray(10_000_000))", "ran out of memory"),
    "allocates_in_sql": ("return db.one('SELECT zeroblob(2000000000) AS z')", "TooBigError"),
    "raises_with_a_hostile_text": ("raise ValueError('\\ud800' * 9_000)", "ValueError"),
    "exits": ("raise SystemExit(0)", "SystemExit"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "fills_the_database": (
        "for _ in range(200):\n    db.insert('folders', name=str(db.random.random()) + 'x' * 1_000_000)\nreturn {}",
        "",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def bad() -> Iterator[World]:
    source = "".join(tool(body, name=name) for name, (body, _) in BAD.items())
    source += tool('return {"folders": len(db.query("SELECT * FROM folders"))}', name="works")
    with World(make_environment(source), limits=UNHURRIED) as world:
        yield world


@pytest.mark.parametrize("name", BAD)
def test_a_bad_tool_is_an_error_that_says_what_it_did(bad: World, name: str) -> None:
    with bad.instance() as instance:
        result = instance.call(name)
        assert result.status == "error", result
        assert BAD[name][1] in result.message
        assert len(result.message) < 3_000
        assert instance.call("works").value == {"folders": 2}
        assert not instance.diff()


@pytest.mark.parametrize(
    "body",
    [
        "return db.one('INS' 'ERT '.lower() + 'INTO folders (name) VALUES (?) RETURNING id', 'new')",
        "rows = db.query(' '.join(['UPDATE', 'notes', 'SET', 'stars = 9', 'RETURNING', 'id']))\nreturn {'n': len(rows)}",
        "db.query(' '.join(['UPDATE', 'notes', 'SET', 'stars = stars']))\nreturn {}",
        "return {'id': getattr(db, 'ins' + 'ert')('folders', name='new')}",
    ],
)
def test_a_tool_that_was_found_to_only_read_cannot_write(make_world: MakeWorld, body: str) -> None:
    world = make_world(
        tool(body, name="look") + tool("return {'id': db.insert('folders', name='a')}", name="add")
    )
    assert [each.mutates_state for each in world.tools] == [False, True]
    with world.instance() as instance:
        before = instance.state_hash()
        result = instance.call("look")
        assert (result.status, len(result.changes)) == ("error", 0)
        assert "agents see it as read-only" in result.message
        assert instance.state_hash() == before
        assert instance.call("add").ok
        assert instance.state_hash() != before


def test_a_tool_that_never_ends_is_stopped_and_its_instance_lives(make_world: MakeWorld) -> None:
    source = tool('db.execute("DELETE FROM notes")\nwhile True:\n    pass') + tool("return {}", name="ok")
    with make_world(source, limits=LIMITS).instance() as instance:
        pid = instance._slot.shared_worker.pid  # type: ignore[union-attr]
        result = instance.call("act")
        assert (result.status, result.message) == ("error", "act took longer than 0.4 s and was stopped.")
        assert instance._slot.shared_worker.pid == pid  # type: ignore[union-attr]
        assert instance.call("ok").ok
        assert not instance.diff()


def test_sql_that_never_ends_is_stopped_and_its_instance_lives(make_world: MakeWorld) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n"
    with make_world(tool(f"return db.one({endless!r})"), limits=LIMITS).instance() as instance:
        pid = instance._slot.shared_worker.pid  # type: ignore[union-attr]
        assert "took longer" in instance.call("act").message
        assert instance._slot.shared_worker.pid == pid  # type: ignore[union-attr]


STUBBORN = tool(
    "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"
)


def test_a_tool_that_ignores_the_soft_limit_is_killed_and_the_instance_restored(
    make_world: MakeWorld,
) -> None:
    add = tool('return {"id": db.insert("folders", name=str(db.random.random()))}', name="add")
    with make_world(STUBBORN + add, limits=LIMITS).instance(seed=3) as instance:
        pid = instance._slot.shared_worker.pid  # type: ignore[union-attr]
        instance.call_many([("add", {})] * 5)
        before = instance.state_hash()
        result = instance.call("act")
        assert result.status == "error"
        assert "was killed" in result.message
        assert instance._slot.shared_worker.pid != pid  # type: ignore[union-attr]
        assert instance.state_hash() == before
        assert instance.calls == 6
        assert instance.call("add").value == {"id": 8}


def test_a_stubborn_call_in_a_batch_costs_only_itself(make_world: MakeWorld) -> None:
    add = tool('return {"id": db.insert("folders", name=str(db.now()))}', name="add")
    calls = [("add", {}), ("add", {}), ("act", {}), ("add", {})]
    with make_world(STUBBORN + add, limits=LIMITS).instance() as instance:
        assert [result.status for result in instance.call_many(calls)] == ["ok", "ok", "error", "ok"]
        assert instance.query("SELECT name FROM folders WHERE id > 2") == [
            {"name": "2026-03-11 08:30:00"}, {"name": "2026-03-11 08:30:01"}, {"name": "2026-03-11 08:30:03"},
        ]  # fmt: skip


def test_a_slow_call_in_a_batch_has_time_of_its_own(make_world: MakeWorld) -> None:
    slow = tool("n = 0\nwhile n < 3_000_000:\n    n += 1\nreturn {}")
    limits = Limits(call_seconds=1.5, grace_seconds=2)
    with make_world(slow, limits=limits).instance() as instance:
        assert {result.status for result in instance.call_many([("act", {})] * 20)} == {"ok"}


def test_a_killed_worker_is_replaced_at_the_last_committed_state(notes: World) -> None:
    with notes.instance() as instance, notes.instance() as neighbour:
        neighbour.call("add_note", {"folder_id": 2, "text": "theirs"})
        instance.call("add_note", {"folder_id": 1, "text": "kept"})
        before = instance.state_hash()
        os.kill(instance._slot.shared_worker.pid, signal.SIGKILL)  # type: ignore[union-attr]
        assert instance.state_hash() == before
        os.kill(instance._slot.shared_worker.pid, signal.SIGKILL)  # type: ignore[union-attr]
        result = instance.call("list_notes")
        assert result.status == "error"
        assert "SIGKILL" in result.message
        assert instance.call("list_notes").ok
        assert instance.state_hash() == before
        assert len(neighbour.diff()) == 1


def test_a_killed_shared_process_costs_each_of_its_instances_no_row(make_world: MakeWorld) -> None:
    world = make_world(isolation="shared")
    instances = [world.instance() for _ in range(4)]
    for number, instance in enumerate(instances):
        assert instance.call("add_note", {"folder_id": 1, "text": f"n{number}"}).ok
    for pid in {instance._slot.shared_worker.pid for instance in instances}:  # type: ignore[union-attr]
        os.kill(pid, signal.SIGKILL)
    for number, instance in enumerate(instances):
        assert instance.query("SELECT text FROM notes WHERE id = 3") == [{"text": f"n{number}"}]


def test_more_calls_than_the_log_keeps_are_restored_from_a_checkpoint(notes: World) -> None:
    with notes.instance() as instance:
        instance.call_many([("add_note", {"folder_id": 1, "text": "x"})] * 450)
        assert len(instance._log) < 250
        before = instance.state_hash()
        os.kill(instance._slot.shared_worker.pid, signal.SIGKILL)  # type: ignore[union-attr]
        assert instance.state_hash() == before
        assert instance.call("add_note", {"folder_id": 1, "text": "x"}).value == {"note_id": 453}
