"""Real clients, each in a virtual environment of its own, on each of three environments."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client_library import RUN_SECONDS, ClientLibrary, Library, NotInstalled, write_tasks
from benchmarks.interop_environments import NAMES, bundle_of
from synthesis.bundles.open import open_bundle
from synthesis.documents.environment import Environment
from tests.synthesis.serving.conftest import Served

Client = Callable[..., Any]


MODULES = ("test_mcp", "test_openenv", "test_adapters", "test_awm", "test_grpo_recipe")
"""In the order in which they run on each environment: what is installed soonest first."""
FOLDER = Path(__file__).parent


class TimeBox:
    """The time that all clients have together."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._until = None if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float | None:
        """Seconds, None where there is no limit."""
        return None if self._until is None else max(self._until - time.monotonic(), 0.0)

    def at_most(self, seconds: float) -> float:
        return seconds if self.left is None else min(seconds, self.left)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--within",
        type=float,
        metavar="SECONDS",
        help="time for all clients together; what does not fit is skipped by name",
    )


BOX = pytest.StashKey[TimeBox]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[BOX] = TimeBox(config.getoption("--within", None))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All clients on one environment before the next one, so that a limit leaves out few of them."""
    places = [place for place, item in enumerate(items) if FOLDER in item.path.parents]
    for place, item in zip(places, sorted((items[each] for each in places), key=_rank), strict=True):
        items[place] = item


def _rank(item: pytest.Item) -> tuple[int, int]:
    parameters = (
        item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    )
    return NAMES.index(parameters.get("bundle", NAMES[0])), MODULES.index(item.path.stem)


def pytest_runtest_setup(item: pytest.Item) -> None:
    box = item.config.stash[BOX]
    if box.left == 0:
        pytest.skip(f"{item.name}: not tried, since the {box.seconds:g} s for all clients are used up")


@pytest.fixture
def client_of(request: pytest.FixtureRequest) -> Callable[[Library], Client]:
    """Installs a library; what it gives runs a script there and reads the JSON it prints."""
    box, name = request.config.stash[BOX], request.node.name

    def install(library: Library) -> Client:
        try:
            client = ClientLibrary(library, seconds=box.at_most(library.seconds))
        except NotInstalled as reason:
            pytest.skip(f"{name}: {reason}")

        def run(script: str, *arguments: str, path: Path | None = None, seconds: float = RUN_SECONDS) -> Any:
            try:
                return client.run(script, *arguments, path=path, seconds=box.at_most(seconds))
            except subprocess.TimeoutExpired:
                if box.left == 0:
                    pytest.skip(f"{name}: stopped when the {box.seconds:g} s for all clients were used up")
                raise

        return run

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
