"""An instance that keeps its process begins again with whole rows and fresh tools, in the same process."""

from __future__ import annotations

from typing import Any

from synthesis.worlds.limits import Limits
from synthesis.worlds.world import World

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
