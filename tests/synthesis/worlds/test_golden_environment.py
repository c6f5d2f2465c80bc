"""The hand-made environment in the project's own format plays through the sealed world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from synthesis.documents.environment import Environment
from synthesis.worlds.replay import differences, replay
from synthesis.worlds.world import World

DATA = Path(__file__).parents[2] / "data" / "clinic_front_desk"
TASKS = [json.loads(line)["id"] for line in (DATA / "tasks.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def world(clinic: Environment) -> Iterator[World]:
    with World(clinic) as world:
        yield world


def test_the_tools_are_described_as_their_author_wrote_them_down(world: World) -> None:
    described = [tool.model_dump(mode="json", by_alias=True) for tool in world.tools]
    assert described == json.loads((DATA / "tools.json").read_text())


def test_it_starts_with_every_seed_row(world: World, clinic: Environment) -> None:
    with world.instance() as instance:
        for table, rows in clinic.seed_data.rows.items():
            assert instance.query(f"SELECT count(*) AS n FROM {table}") == [{"n": len(rows)}]


@pytest.mark.parametrize("task_id", TASKS)
def test_a_reference_solution_completes_its_task(world: World, clinic: Environment, task_id: str) -> None:
    task = clinic.task(task_id)
    with world.instance() as instance:
        before = instance.snapshot()
        results = replay(instance, task.reference_solution)
        assert [result.status for result in results] == ["ok"] * len(results)
        outcomes = world.verify_code(task_id, before, instance.snapshot(), task.reference_answer)
        assert {outcome.name: outcome.detail for outcome in outcomes if not outcome.passed} == {}


@pytest.mark.parametrize("task_id", TASKS)
def test_the_untouched_world_with_no_answer_does_not_complete_it(world: World, task_id: str) -> None:
    outcomes = world.verify_code(task_id, world.base, world.base, "")
    assert not all(outcome.passed for outcome in outcomes)


@pytest.mark.parametrize("task_id", TASKS)
def test_a_replay_gives_the_same_observations_and_state(
    world: World, clinic: Environment, task_id: str
) -> None:
    calls = clinic.task(task_id).reference_solution
    with world.instance(seed=7) as one, world.instance(seed=7) as other:
        observations = [result.observation() for result in replay(one, calls)]
        assert differences(replay(other, calls), observations) == []
        assert one.state_hash() == other.state_hash()
        assert one.diff() == other.diff()


def test_two_builds_give_the_same_hash(world: World, clinic: Environment) -> None:
    with World(clinic) as again:
        assert again.base.hash == world.base.hash
