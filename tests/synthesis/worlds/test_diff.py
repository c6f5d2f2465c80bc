"""The difference of two snapshots, found in a process of its own."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from dataclasses import replace

import apsw
import pytest

from synthesis.documents.state_diff import StateDiff
from synthesis.errors import BrokenEnvironment
from synthesis.worlds.diff import diff
from synthesis.worlds.limits import Limits
from synthesis.worlds.worker.live import WorldBlueprint
from synthesis.worlds.world import World

MakeWorld = Callable[..., World]


def test_it_equals_what_the_instance_tells(notes: World) -> None:
    with notes.instance() as instance:
        instance.call("add_note", {"folder_id": 1, "text": "a"})
        instance.call("delete_note", {"note_id": 1})
        after = instance.snapshot()
        assert diff(notes.base, after) == instance.diff()
        assert [change.kind for change in diff(after, notes.base).changes] == ["inserted", "deleted"]


def test_equal_states_differ_in_nothing(notes: World) -> None:
    assert diff(notes.base, notes.base) == StateDiff()


def test_an_image_that_is_no_database_is_an_error(notes: World) -> None:
    with pytest.raises(BrokenEnvironment):
        diff(notes.base, replace(notes.base, image=b"nonsense" * 99, hash="0" * 64))


@pytest.mark.parametrize("size", [10, 1_200_000], ids=["read ahead", "too large to read ahead"])
def test_a_difference_from_the_base_does_not_depend_on_its_size(make_world: MakeWorld, size: int) -> None:
    rows = {"folders": [{"id": 1, "name": "x" * size}]}
    world = make_world(rows=rows)
    base = world.base
    with world.instance() as instance:
        instance.call("add_note", {"folder_id": 1, "text": "a"})
        after = instance.snapshot()
        assert instance.diff() == diff(base, after)
        for _ in range(2):
            (outcome,) = world.verify_code("add_one", base, after, "")
            assert outcome.passed
        (outcome,) = world.verify_code("add_one", base, base, "")
        assert not outcome.passed


@pytest.mark.parametrize(("size", "known"), [(10, True), (1_200_000, False)])
def test_only_the_rows_of_a_small_base_are_kept_at_hand(
    make_world: MakeWorld, size: int, known: bool
) -> None:
    world = make_world(rows={"folders": [{"id": 1, "name": "x" * size}]})
    code = marshal.dumps(compile("", "tools", "exec"))
    image, clock = world.base.image, world.base.clock
    world_blueprint = WorldBlueprint(
        code=code, tools=[], image=image, start=clock, actor=None, limits=Limits()
    )
    assert (world_blueprint.rows is not None) is known
    for minute in (1, 2):  # in the connection that was opened ahead, then in a new one
        reader = world_blueprint.look_into(image, clock.replace(minute=minute))
        assert reader.context.now.minute == minute
        assert reader.execute("SELECT length(name) FROM folders").fetchall() == [(size,)]
        with pytest.raises(apsw.Error):
            reader.execute("DELETE FROM folders")
