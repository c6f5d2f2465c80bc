"""Real clients, each in a virtual environment of its own, on each of three environments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client_library import INSTALL_SECONDS, ClientLibrary, NotInstalled, write_tasks
from benchmarks.interop_environments import NAMES, bundle_of
from synthesis.bundles.open import open_bundle
from synthesis.documents.environment import Environment
from tests.synthesis.serving.conftest import Served

Client = Callable[..., Any]


@pytest.fixture
def client_of() -> Callable[..., Client]:
    """Installs a client; what it gives runs one of its scripts and reads the JSON it prints."""

    def install(name: str, *packages: str, seconds: int = INSTALL_SECONDS, version: str = "") -> Client:
        try:
            return ClientLibrary(name, packages, version=version, seconds=seconds).run
        except NotInstalled as reason:
            pytest.skip(str(reason))

    return install


@pytest.fixture(scope="session", params=NAMES)
def bundle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_of(request.param, tmp_path_factory.mktemp("bundles"))


@pytest.fixture(scope="session")
def environment(bundle: Path) -> Environment:
    return open_bundle(bundle).environment


@pytest.fixture
def served(bundle: Path) -> Iterator[Served]:
    running = Served(str(bundle), "--nemo-gym")
    yield running
    running.stop()


@pytest.fixture
def tasks_file(environment: Environment, tmp_path: Path) -> Path:
    """Every task with its reference solution, for scripts that do not have our packages."""
    return write_tasks(environment, tmp_path / "tasks.json")
