"""One composed environment, its blueprint and a live world, for the tests of how tasks are made."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from synthesis.documents.environment import Environment
from synthesis.procedural.author import compose, trial_world
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.composer import blueprint
from synthesis.procedural.walk import Walk
from synthesis.worlds.world import World

SENTENCE, SEED = "Dental practice with recalls, invoices and messages", 4


@pytest.fixture(scope="package")
def practice() -> Environment:
    return compose(SENTENCE, seed=SEED)


@pytest.fixture(scope="package")
def made() -> Blueprint:
    return blueprint(SENTENCE, SEED)


@pytest.fixture(scope="package")
def world(practice: Environment) -> Iterator[World]:
    with trial_world(practice) as world:
        yield world


@pytest.fixture
def walk(world: World, made: Blueprint) -> Iterator[Walk]:
    with world.instance() as instance:
        yield Walk(made, instance, made.random("tests"))
