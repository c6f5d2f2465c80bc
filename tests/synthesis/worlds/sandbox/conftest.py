"""A world to take workers from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from synthesis.documents.environment import Environment
from synthesis.worlds.world import World


@pytest.fixture(scope="module")
def clinic_world(clinic: Environment) -> Iterator[World]:
    with World(clinic) as world:
        yield world
