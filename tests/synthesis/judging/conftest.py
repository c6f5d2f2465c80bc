from __future__ import annotations

from collections.abc import Iterator

import pytest

from synthesis.worlds.world import World


@pytest.fixture(scope="session")
def clinic_world(clinic) -> Iterator[World]:
    with World(clinic) as world:
        yield world
