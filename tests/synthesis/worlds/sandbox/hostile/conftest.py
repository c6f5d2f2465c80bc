"""Fixtures: the ground outside, worlds of hostile tools, an attacked instance and its sibling."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from synthesis.worlds import world as world_module
from synthesis.worlds.sandbox.fork_client import fork_client
from synthesis.worlds.world import Instance, World
from tests.synthesis.worlds.sandbox.hostile.helpers import REACH
from tests.synthesis.worlds.sandbox.hostile.modules import BENIGN, source
from tests.synthesis.worlds.sandbox.hostile.scene import (
    LIMITS,
    SECRET,
    SIBLING,
    Ground,
    environment,
    family_of,
    honest_answers,
)


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    """A folder that everybody may read and write, so that only the sandbox can be what stops an attack."""
    folder = Path(tempfile.mkdtemp())
    (folder / "canary").mkdir()
    (folder / "secret").write_text(SECRET)
    for path, mode in ((folder, 0o777), (folder / "canary", 0o777), (folder / "secret", 0o666)):
        path.chmod(mode)
    os.environ["SERVICE_PASSWORD"] = SECRET
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield Ground(folder, listener.getsockname()[1], listener)
    del os.environ["SERVICE_PASSWORD"]
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def crowd() -> set[int]:
    """The fork server and what it started for other tests of this process, before any attack."""
    return family_of(fork_client().pid)


@pytest.fixture(scope="module")
def world(ground: Ground, crowd: set[int]) -> Iterator[World]:
    """A world whose tools are attacks; the lint's findings are ignored, since a lint is no boundary."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world_module, "refuse", lambda findings: None)
        result = World(environment(source(**ground.places)), limits=LIMITS)
    with result:
        yield result


@pytest.fixture(scope="module")
def other_world(crowd: set[int]) -> Iterator[World]:
    """Another environment in the same service."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world_module, "refuse", lambda findings: None)
        result = World(environment(BENIGN + REACH), limits=LIMITS)
    with result:
        yield result


@pytest.fixture(scope="module")
def sibling(world: World) -> Instance:
    """An instance of the same world that holds somebody else's data."""
    result = world.instance()
    assert result.call("note", {"text": SIBLING}).status == "ok"
    return result


@pytest.fixture
def instance(world: World, sibling: Instance, ground: Ground) -> Iterator[Instance]:
    """The attacked instance. Afterwards the sibling is as it was and nothing outside was touched."""
    before = sibling.state_hash()
    with world.instance() as result:
        assert result.call("note", {"text": "mine"}).value == {"id": 2}
        yield result
    assert sibling.call("notes").value == {"notes": ["first", SIBLING]}
    assert sibling.state_hash() == before
    assert ground.untouched()


@pytest.fixture
def honest(world: World) -> list[Any]:
    with world.instance() as fresh:
        answers = honest_answers(fresh)
    assert answers[1]["sum"] == 6
    return answers
