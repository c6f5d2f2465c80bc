"""An instance whose worker was lost: brought back whole within one deadline, or closed with the reason."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from synthesis.errors import InstanceClosed, SandboxError, WorkerDied
from synthesis.worlds import toolset as toolset_module
from synthesis.worlds import world as world_module
from synthesis.worlds.limits import Limits
from synthesis.worlds.worker_slots import SharedWorkerSlot
from synthesis.worlds.world import Instance

from .conftest import MakeWorld, tool

ADD = tool('return {"id": db.insert("folders", name=str(db.random.random()))}', name="add")
REACH = (
    "def _modules():\n    for kind in ().__class__.__base__.__subclasses__():\n"
    '        if kind.__name__ == "_wrap_close":\n'
    '            return kind.__init__.__globals__["sys"].modules\n\n\n'
    'LOADED = _modules()["time"].monotonic()\n\n\n'
)
AGE = '_modules()["time"].monotonic() - LOADED'


@pytest.fixture
def unruled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The static rules are no boundary."""
    for module in (world_module, toolset_module):
        monkeypatch.setattr(module, "refuse", lambda findings: None)


def lose(instance: Instance) -> None:
    os.kill(instance._slot.shared_worker.pid, signal.SIGKILL)  # type: ignore[union-attr]


@pytest.mark.parametrize("isolation", ["process", "shared"])
def test_an_instance_begins_although_its_first_workers_are_killed(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    with make_world(ADD, isolation=isolation) as world:
        free, killed = world._pool._free_slot, []

        def killed_at_first(*, shared: bool) -> SharedWorkerSlot:
            slot = free(shared=shared)
            if len(killed) < most:
                killed.append(slot.shared_worker.pid)
                os.kill(slot.shared_worker.pid, signal.SIGKILL)
            return slot

        monkeypatch.setattr(world._pool, "_free_slot", killed_at_first)
        most = 2
        with world.instance() as instance:
            assert instance.call("add").ok
        assert len(killed) == 2
        most = 9
        with pytest.raises(WorkerDied, match="signal SIGKILL"):
            world.instance()
        assert len(killed) == 5
        assert world.live == 0


def test_a_call_that_fails_when_it_is_replayed_ends_the_instance_and_is_named(
    make_world: MakeWorld, unruled: None
) -> None:
    body = (
        f'if {AGE} < 1:\n    raise ToolError("not so soon")\n'
        'return {"id": db.insert("folders", name=str(db.random.random()))}'
    )
    with make_world(REACH + tool(body, name="later") + ADD).instance() as instance:
        assert instance.call("add").ok
        time.sleep(1.1)
        assert all(instance.call("later").ok for _ in range(20))
        lose(instance)
        with pytest.raises(SandboxError, match=r"call 2, later, .*'refused': not so soon"):
            instance.call("add")
        assert instance.closed
        with pytest.raises(InstanceClosed):
            instance.call("add")


def test_a_call_that_changes_other_rows_when_it_is_replayed_is_noticed(
    make_world: MakeWorld, unruled: None
) -> None:
    body = f'key = 900 if {AGE} > 1 else 901\nreturn {{"id": db.insert("folders", id=key, name="x")}}'
    with make_world(REACH + tool(body, name="shifty")).instance() as instance:
        time.sleep(1.1)
        assert instance.call("shifty").ok
        lose(instance)
        with pytest.raises(SandboxError, match="call 1, shifty, changed other rows"):
            instance.state_hash()


@pytest.mark.parametrize("rows", [1, 60])
def test_a_call_that_writes_other_values_when_it_is_replayed_is_noticed(
    make_world: MakeWorld, unruled: None, rows: int
) -> None:
    body = (
        f"late = {AGE} > 1\nfor n in range({rows}):\n"
        f'    db.insert("folders", name=f"{{n}} late" if late and n == {rows} - 1 else str(n))\nreturn {{}}'
    )
    with make_world(REACH + tool(body, name="shifty")).instance() as instance:
        time.sleep(1.1)
        assert instance.call("shifty").ok
        lose(instance)
        with pytest.raises(SandboxError, match="call 1, shifty, changed other rows or values"):
            instance.state_hash()
        assert instance.closed


def test_all_calls_that_are_replayed_have_one_deadline(make_world: MakeWorld, unruled: None) -> None:
    body = (
        f'if {AGE} < 1.5:\n    _modules()["time"].sleep(0.4)\n'
        'return {"id": db.insert("folders", name=str(db.now()))}'
    )
    limits = Limits(call_seconds=30, grace_seconds=0.5, state_seconds=1.0)
    with make_world(REACH + tool(body, name="slow"), limits=limits).instance() as instance:
        time.sleep(1.6)
        assert all(instance.call("slow").ok for _ in range(40))
        lose(instance)
        began = time.monotonic()
        with pytest.raises(SandboxError, match="could not be restored"):
            instance.state_hash()
        assert time.monotonic() - began < 8  # each by itself would have had its own 30 s
        assert instance.closed


SLEEPING = tool(
    "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"
)


def closed_while_it_works(make_world: MakeWorld, close: Callable[[Instance], None]) -> float:
    """Seconds that a close took while a call ran that may take minutes."""
    world = make_world(SLEEPING, limits=Limits(call_seconds=120, grace_seconds=120))
    instance = world.instance()
    worker = instance._slot.shared_worker
    ended: list[Exception] = []

    def call() -> None:
        try:
            instance.call("act")
        except Exception as error:  # noqa: BLE001 - looked at below
            ended.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    while not worker.busy:
        time.sleep(0.01)
    began = time.monotonic()
    close(instance)
    took = time.monotonic() - began
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert [type(error) for error in ended] == [InstanceClosed]
    assert world.live == 0
    assert not worker.alive
    return took


def test_a_call_that_does_not_end_in_time_is_killed_by_the_close(make_world: MakeWorld) -> None:
    assert closed_while_it_works(make_world, lambda instance: instance.close(wait=0.2)) < 20


def test_an_abandoned_instance_is_killed_at_once(make_world: MakeWorld) -> None:
    def abandon(instance: Instance) -> None:
        instance.abandon()
        instance.close()

    assert closed_while_it_works(make_world, abandon) < 20


def test_a_call_that_changes_too_much_is_undone(make_world: MakeWorld) -> None:
    many = tool('for n in range(40):\n    db.insert("folders", name=str(n) * 500)\nreturn {}')
    with make_world(many, limits=Limits(max_change_bytes=10_000)).instance() as instance:
        result = instance.call("act")
        assert result.status == "error"
        assert "act changed 40 rows" in result.message
        assert "change fewer rows at a time" in result.message
        assert not instance.diff()
    with make_world(many).instance() as instance:
        assert len(instance.call("act").changes) == 40


def test_a_result_with_too_many_lists_is_an_error(make_world: MakeWorld) -> None:
    with make_world(
        tool("return {'x': [[] for _ in range(5_000)]}"), limits=Limits(max_brackets=1_000)
    ).instance() as i:
        assert "5,002 lists and objects; at most 1,000" in i.call("act").message


def test_a_batch_whose_results_are_large_is_made_in_parts(make_world: MakeWorld) -> None:
    large = tool("return {'x': 'y' * 900_000}")
    with make_world(large).instance() as instance:
        results = instance.call_many([("act", {})] * 12)
        assert [len(result.value["x"]) for result in results] == [900_000] * 12
