"""Two hosts of worlds as processes that share nothing, one studio: spread, killed, stopped, avoided."""

from __future__ import annotations

import os
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from django.db import connection
from pytest_django.live_server_helper import LiveServer

from studio.models import Role, WorldServer, WorldServerState
from studio.services.accounts.accounts import issue_token
from synthesis.adapters.client import RequestRejected, ServerFailed
from synthesis.bundles.native import NativeCodec
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.registered_servers import RegisteredServers
from tests.studio.conftest import create_person, store_proved
from tests.studio.management.conftest import PATIENCE, ROOT, within

pytestmark = pytest.mark.slow
"""They start processes and wait for them."""


class Host:
    """A `worldwright serve --register` with a folder of its own."""

    def __init__(self, bundle: Path, folder: Path, studio: str, token: str, *options: str) -> None:
        folder.mkdir()
        self.log = folder / "log"
        environ = os.environ | {"WORLDWRIGHT_VAR": str(folder / "var"), "WORLDWRIGHT_STUDIO_TOKEN": token}
        with self.log.open("wb") as errors:
            self.process = subprocess.Popen(
                [
                    sys.executable, "-u", "-m", "synthesis.cli", "serve", str(bundle.resolve()),
                    "--port", "0", "--register", studio, "--register-name", folder.name, *options,
                ],
                cwd=folder,
                env=environ | {"PYTHONPATH": str(ROOT)},
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )  # fmt: skip
        self.url = self._listening()

    def _listening(self) -> str:
        assert self.process.stdout is not None
        text, deadline = b"", time.monotonic() + PATIENCE
        while (match := re.search(rb"Listening on (\S+) ", text)) is None:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.process.stdout.fileno(), 65_536) if ready else b""
            assert chunk, self.log.read_text()
            text += chunk
        return match[1].decode()

    def end(self, number: signal.Signals) -> int:
        """Send a signal to all its processes, or to the first alone where it is asked to stop."""
        if self.process.poll() is None:
            if number is signal.SIGKILL:
                os.killpg(self.process.pid, number)
            else:
                self.process.send_signal(number)
        status = self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


@pytest.fixture
def own_connections(transactional_db: None, tmp_path: Path) -> Iterator[None]:
    """SQLite in a file for the time of a test, where each thread has a connection of its own.

    In memory all threads share one. A request of the live server that calls one of Django's functions then
    waits for Python while the test's own query holds Python and waits for the connection: neither ends.
    """
    if connection.vendor != "sqlite":
        yield
        return
    in_memory = connection.settings_dict["NAME"]
    with closing(sqlite3.connect(in_memory, uri=True)) as memory:  # which lasts as long as somebody is in it
        with closing(sqlite3.connect(tmp_path / "studio.sqlite3")) as file:
            memory.backup(file)
        _go_to(str(tmp_path / "studio.sqlite3"))
        try:
            yield
        finally:
            _go_to(in_memory)


def _go_to(database: str) -> None:
    """Connect to another SQLite database; the wrapper's own `close` leaves one in memory open."""
    if connection.connection is not None:
        connection.connection.close()
    connection.settings_dict["NAME"] = database
    connection.connect()


@pytest.fixture
def live_server(own_connections: None) -> Iterator[LiveServer]:
    server = LiveServer("localhost")
    yield server
    server.stop()


@pytest.fixture
def quick(settings) -> None:
    """Signs of life every fifth of a second."""
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"world_server_heartbeat_seconds": 0.2, "world_server_lost_after_seconds": 3.0}
    )


@pytest.fixture
def host(
    tmp_path: Path, clinic_path: Path, live_server, quick: None, transactional_db: None
) -> Iterator[Callable[..., Host]]:
    """Starts hosts that register at the studio of this process."""
    running: list[Host] = []
    _, token = issue_token(user=create_person("olga", Role.ADMIN), name="hosts", scopes=["serve"])

    def start(name: str, *options: str, bundle: Path = clinic_path) -> Host:
        running.append(Host(bundle, tmp_path / name, live_server.url, token, *options))
        assert within(lambda: WorldServer.objects.filter(name=name, address=running[-1].url).exists())
        return running[-1]

    yield start
    for each in running:
        if each.process.poll() is None:
            each.end(signal.SIGKILL)


@pytest.fixture
def servers(live_server, clinic: Environment, transactional_db: None) -> Iterator[RegisteredServers]:
    """What a trainer uses, with a token of a viewer; the studio knows the clinic."""
    store_proved(clinic)
    _, token = issue_token(user=create_person("theo", Role.VIEWER), name="trainer", scopes=["serve"])
    with RegisteredServers(live_server.url, token) as registered:
        yield registered


def state_of(name: str) -> WorldServerState:
    return WorldServer.objects.get(name=name).state


def test_two_hosts_share_the_instances_and_a_killed_one_is_avoided(host, servers, clinic):
    first, second = host("first", "--max-instances", "20"), host("second", "--max-instances", "20")
    instances = [servers.open(clinic.name) for _ in range(12)]
    ports = {urlsplit(each.url).port: name for name, each in (("first", first), ("second", second))}
    shares = Counter(ports[urlsplit(each.mcp_url).port] for each in instances)
    # A sign of life that comes while an instance is being opened does not count it yet; the next one does.
    assert set(shares) == {"first", "second"}
    assert abs(shares["first"] - shares["second"]) <= 2
    for name, each in (("first", first), ("second", second)):
        assert httpx.get(f"{each.url}/health").json()["instances"] == shares[name]
    for instance in instances:
        assert instance.details.environment_fingerprint == clinic.fingerprint
        assert instance.call("find_patients", name="Ilse").status == "ok"
    assert within(lambda: {each.name: each.instances for each in WorldServer.objects.all()} == shares)

    first.end(signal.SIGKILL)
    # Nobody has noticed yet: what the studio still points to does not answer, and the trainer asks again.
    assert urlsplit(servers.open(clinic.name).mcp_url).port == urlsplit(second.url).port
    assert within(lambda: state_of("first") is WorldServerState.LOST)
    assert state_of("second") is WorldServerState.READY
    for _ in range(3):
        assert servers._choose(clinic.name, None, []).name == "second"

    again = host("again", "--max-instances", "20")
    opened = [urlsplit(servers.open(clinic.name).mcp_url).port for _ in range(4)]
    assert opened == [urlsplit(again.url).port] * 4


def test_a_stopped_host_leaves_and_nobody_is_sent_to_it(host, servers, clinic):
    first = host("first", "--workers", "2")
    second = host("second")
    assert first.end(signal.SIGTERM) == 0
    assert state_of("first") is WorldServerState.LEFT
    assert second.end(signal.SIGTERM) == 0
    assert state_of("second") is WorldServerState.LEFT
    with pytest.raises(RequestRejected, match="No registered server serves clinic_front_desk"):
        servers.open(clinic.name)


def test_a_host_with_another_revision_is_sent_nobody(host, servers, clinic, tmp_path):
    other = clinic.replace(scenario=clinic.scenario.replace(title="Another clinic"))
    assert other.fingerprint != clinic.fingerprint
    host("other", bundle=NativeCodec().write(Bundle(environment=other), tmp_path / "other.zip"))
    with pytest.raises(RequestRejected, match="No registered server serves clinic_front_desk"):
        servers.open(clinic.name)


def test_a_host_that_lies_about_its_bundle_gets_no_agent(host, servers, clinic, tmp_path):
    other = clinic.replace(scenario=clinic.scenario.replace(title="Another clinic"))
    liar = host("liar", bundle=NativeCodec().write(Bundle(environment=other), tmp_path / "other.zip"))
    WorldServer.objects.get(name="liar").bundles.update(fingerprint=clinic.fingerprint)
    with pytest.raises(ServerFailed, match="full, lost, unhealthy or avoided"):
        servers.open(clinic.name)
    assert httpx.get(f"{liar.url}/health").json()["instances"] == 0


def test_a_frozen_host_is_lost_and_comes_back(host, servers, clinic):
    first = host("first")
    os.killpg(first.process.pid, signal.SIGSTOP)
    try:
        assert within(lambda: state_of("first") is WorldServerState.LOST)
        with pytest.raises(ServerFailed):
            servers.open(clinic.name)
    finally:
        os.killpg(first.process.pid, signal.SIGCONT)
    assert servers.open(clinic.name, patience=PATIENCE).details.environment == clinic.name


def test_a_studio_that_forgot_a_host_gets_to_know_it_again(host):
    host("first")
    WorldServer.objects.all().delete()
    assert within(lambda: WorldServer.objects.filter(name="first").exists())


def test_a_host_serves_on_while_the_studio_refuses_it(tmp_path, clinic_path, live_server, transactional_db):
    _, token = issue_token(user=create_person("vera", Role.VIEWER), name="mine", scopes=["serve"])
    refused = Host(clinic_path, tmp_path / "refused", live_server.url, token)
    try:
        assert within(lambda: "This needs the role Administrator" in refused.log.read_text())
        assert token not in refused.log.read_text()
        assert httpx.post(f"{refused.url}/instances", json={}).status_code == 201
    finally:
        assert refused.end(signal.SIGTERM) == 0
    assert not WorldServer.objects.exists()
