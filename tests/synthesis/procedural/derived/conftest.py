"""A shop derived once, for the tests that look at its parts."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from synthesis.documents.environment import Environment
from synthesis.procedural.derived.data_model import DataModel, read_data_model
from synthesis.procedural.derived.derive import derive, trial_world
from synthesis.procedural.derived.play import Play
from synthesis.procedural.derived.tool_plan import ToolPlan, tool_plan
from synthesis.worlds.world import World
from tests.synthesis.procedural.derived.schemas import CLOCK, SHOP, handed


@pytest.fixture(scope="package")
def shop() -> Environment:
    return derive(handed(SHOP), seed=1)


@pytest.fixture(scope="package")
def model(shop: Environment) -> DataModel:
    return read_data_model(shop.schema)


@pytest.fixture(scope="package")
def plan(shop: Environment, model: DataModel) -> ToolPlan:
    return tool_plan(model, shop.seed_data)


@pytest.fixture(scope="package")
def world(shop: Environment) -> Iterator[World]:
    with trial_world(shop) as world:
        yield world


@pytest.fixture
def play(world: World, plan: ToolPlan) -> Iterator[Play]:
    with world.instance() as instance:
        yield Play(plan, instance, random.Random(7), CLOCK, {})
