"""Fixtures for the sandbox's own tests: sealed children on request, a world to take workers from."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from synthesis.documents.environment import Environment
from synthesis.worlds.world import World

ROOT = Path(__file__).parents[4]

collect_ignore = ["nursery.py"]

Sealed = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def clinic_world(clinic: Environment) -> Iterator[World]:
    """The hand-made environment as a world."""
    with World(clinic) as world:
        yield world


@pytest.fixture(scope="session")
def sealed() -> Iterator[Sealed]:
    """`sealed(code, **request)` runs code in a sealed child; see nursery.py for what can be asked for."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("the sandbox is for Linux on x86_64 and aarch64")
    nursery = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("nursery.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    assert nursery.stdin
    assert nursery.stdout
    assert nursery.stdout.readline() == "ready\n"

    def ask(code: str, **request: object) -> dict[str, Any]:
        assert nursery.stdin
        assert nursery.stdout
        nursery.stdin.write(json.dumps({"code": code, **request}) + "\n")
        nursery.stdin.flush()
        answer: dict[str, Any] = json.loads(nursery.stdout.readline())
        return answer

    yield ask
    nursery.stdin.close()
    nursery.stdout.close()
    assert nursery.wait(timeout=10) == 0
