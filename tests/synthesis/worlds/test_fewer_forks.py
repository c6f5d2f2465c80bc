"""What needs no process of its own is given none; what needs one gets it every time."""

from __future__ import annotations

from synthesis.worlds.toolset import REMEMBERED, read_toolset, toolset_findings
from synthesis.worlds.world import World

from .conftest import TOOLS, MakeWorld


def verified(world: World, times: int) -> None:
    with world.instance() as instance:
        instance.call("add_note", {"folder_id": 1, "text": "eggs"})
        after = instance.snapshot()
    for _ in range(times):
        assert world.verify_code("add_one", world.base, after, "")


def test_every_verification_is_a_process_of_its_own(make_world: MakeWorld, forks: list[int]) -> None:
    world = make_world()
    verified(world, 1)
    count = len(forks)
    verified(world, 5)
    assert len(forks) == count + 1 + 5  # the instance, and each verification


def test_where_instances_share_processes_verifications_do_too(
    make_world: MakeWorld, forks: list[int]
) -> None:
    world = make_world(isolation="shared")
    verified(world, 4)
    count = len(forks)
    verified(world, 20)
    assert len(forks) == count


def test_a_shared_verification_sees_nothing_of_the_one_before(make_world: MakeWorld) -> None:
    source = """
SEEN = []


def verify(before, after, changes, answer):
    list.append(SEEN, 1)
    yield check("first", len(SEEN) == 1)
    yield check("changed", len(changes) == int(answer))
"""
    world = make_world(isolation="shared")
    with world.instance() as instance:
        instance.call("add_note", {"folder_id": 1, "text": "eggs"})
        after = instance.snapshot()
    for _ in range(6):
        for state, changes in ((after, "1"), (world.base, "0")):
            outcomes = world.verify_code("add_one", world.base, state, changes, source=source)
            assert [outcome.passed for outcome in outcomes] == [True, True]


def test_a_toolset_is_compiled_once_and_checked_every_time(forks: list[int]) -> None:
    REMEMBERED.forget()
    first = read_toolset(TOOLS)
    count = len(forks)
    assert read_toolset(TOOLS) == first
    assert len(forks) == count
    assert toolset_findings(TOOLS) == ()
    assert len(forks) == count + 2
