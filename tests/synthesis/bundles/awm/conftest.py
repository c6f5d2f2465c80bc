"""An exported folder of two environments, and what is read back from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from synthesis.bundles.awm.exporting import export_awm
from synthesis.bundles.awm.importing import AwmImportOptions, import_awm
from synthesis.bundles.open import open_bundle
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.trajectory import FinalAnswer, Trajectory
from synthesis.episode import Episode
from synthesis.procedural.business.author import compose
from synthesis.worlds.world import World

SENTENCE = "A hotel takes bookings and bills its guests"


@pytest.fixture(scope="session")
def hotel() -> Environment:
    return compose(SENTENCE, seed=3)


@pytest.fixture(scope="session")
def environments(clinic: Environment, hotel: Environment) -> dict[str, Environment]:
    return {each.name: each for each in (clinic, hotel)}


@pytest.fixture(scope="session")
def recorded(clinic: Environment) -> Trajectory:
    """A reference solution as it was played."""
    task = clinic.tasks.tasks[0]
    with World(clinic, isolation="shared") as world, Episode(world, task.id) as episode:
        episode.reset(seed=4)
        for call in task.reference_solution:
            episode.step(call)
        episode.step(FinalAnswer(text=task.reference_answer))
        return episode.trajectory(agent="reference")


@pytest.fixture(scope="session")
def exported(
    environments: dict[str, Environment], recorded: Trajectory, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    target = tmp_path_factory.mktemp("awm") / "folder"
    trajectories = {recorded.environment_name: (JudgedTrajectory(trajectory=recorded),)}
    lines = export_awm(
        (
            Bundle(environment=each, trajectories=trajectories.get(each.name, ()))
            for each in environments.values()
        ),
        target,
    )
    assert [(line.name, line.reason, line.left_out) for line in lines] == [
        (name, "", {}) for name in environments
    ]
    return target


@pytest.fixture(scope="session")
def imported(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, World]]:
    """The same environments read back, hosted as what others wrote."""
    target = tmp_path_factory.mktemp("imported")
    lines, problems = import_awm(exported, target, AwmImportOptions(prove=False))
    assert [(line.status, line.reason, line.findings, line.idle_passes) for line in lines] == [
        ("imported", "", (), 0)
    ] * len(lines)
    assert problems == ()
    worlds = {
        line.name: World(open_bundle(target / line.name).environment, isolation="shared") for line in lines
    }
    yield worlds
    for world in worlds.values():
        world.close()
