"""A live application over the clinic, and a served process."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from synthesis.documents.environment import Environment
from synthesis.serving.app import create_app
from synthesis.serving.settings import ServeSettings
from synthesis.worlds.world import World

ROOT = Path(__file__).parents[3]
AppMaker = Callable[..., contextlib.AbstractContextManager[TestClient]]


@pytest.fixture(scope="module")
def clinic_world(clinic: Environment) -> Iterator[World]:
    with World(clinic) as world:
        yield world


@pytest.fixture
def app_with(clinic_world: World) -> AppMaker:
    """A client of an application with some settings."""

    @contextlib.contextmanager
    def make(**settings: object) -> Iterator[TestClient]:
        app = create_app({"clinic_front_desk": clinic_world}, ServeSettings.model_validate(settings))
        with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
            yield client

    return make


@pytest.fixture
def client(app_with: AppMaker) -> Iterator[TestClient]:
    with app_with() as test_client:
        yield test_client


class Served:
    """A `worldwright serve` process and where it listens."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "synthesis.cli", "serve", *arguments, "--port", "0"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
        )
        self.said = b""
        self.url = self._address()

    def _address(self) -> str:
        assert self.process.stdout is not None
        deadline = time.monotonic() + 60
        while (match := re.search(rb"Listening on (\S+) ", self.said)) is None:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            chunk = self.process.stdout.read(65_536) if ready else b""
            if not chunk:
                self.stop()
                raise AssertionError(f"the server did not start: {self.said.decode()}")
            self.said += chunk
        return match[1].decode()

    def http(self, **headers: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=headers, timeout=30)

    def children(self) -> set[int]:
        """Every process below the server's."""
        results: set[int] = set()
        pending = [self.process.pid]
        while pending:
            listed = Path(f"/proc/{pending.pop()}/task").glob("*/children")
            for path in listed:
                with contextlib.suppress(OSError):
                    below = {int(pid) for pid in path.read_text().split()}
                    pending += below - results
                    results |= below
        return results

    def stop(self) -> int:
        """End it the way an operator does; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        assert self.process.stdout is not None
        if not self.process.stdout.closed:
            os.set_blocking(self.process.stdout.fileno(), False)
            self.said += self.process.stdout.read() or b""
            self.process.stdout.close()
        return self.process.returncode


@pytest.fixture
def start_on() -> Iterator[Callable[..., Served]]:
    """Starts `worldwright serve` on a bundle with some options; ended after the test."""
    running: list[Served] = []

    def start(bundle: Path, *options: str) -> Served:
        running.append(Served(str(bundle), *options))
        return running[-1]

    yield start
    for served in running:
        served.stop()


@pytest.fixture
def serve(clinic_path: Path, start_on: Callable[..., Served]) -> Callable[..., Served]:
    """Starts `worldwright serve` on the clinic."""
    return lambda *options: start_on(clinic_path, *options)


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Waits for something to become true."""

    def wait(true: Callable[[], bool], seconds: float = 20) -> None:
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, "it did not happen in time"
            select.select([], [], [], 0.02)

    return wait


@pytest.fixture(scope="module")
def served(clinic_path: Path) -> Iterator[Served]:
    """One server without options for every test of a module."""
    running = Served(str(clinic_path))
    yield running
    running.stop()
