"""The hostile suite: what it measures is there, and a server under its attacks answers others and ends."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks import hostile, hostile_peers, memory
from benchmarks.hostile_attackers import Attackers
from benchmarks.hostile_clients import Client, working
from benchmarks.hostile_process import KINDS
from benchmarks.hostile_world import HANGING, HARMLESS, HOSTILE, write_bundles
from benchmarks.served import served

pytestmark = pytest.mark.slow
"""They start processes and wait for them."""

SIZE = 16


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_bundles(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def server(bundles: list[Path], tmp_path: Path) -> Iterator[tuple[str, int]]:
    program = [sys.executable, "-u", "-c", hostile._NO_RULES]
    with served(*bundles, isolation="process", log=tmp_path / "log", program=program) as texts:
        yield texts


def made(http: httpx.Client, environment: str) -> str:
    answer = http.post("/instances", json={"environment": environment})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["credentials"]["trainer"])


def test_every_point_of_the_service_has_an_attack() -> None:
    assert {kind.point for kind in KINDS.values()} == set(range(1, 8))


@pytest.mark.parametrize(
    "kind", ["requests_answered_and_not_taken", "changed_rows", "calls_slow_when_made_again"]
)
def test_nothing_is_left_of_an_attack(server: tuple[str, int], kind: str) -> None:
    url, pid = server
    figures: dict[str, Any] = asyncio.run(hostile._measured(KINDS[kind], [], url, pid, 8))
    assert figures["left"] == 0
    assert figures["service_peak_mib"] < 512


def test_a_module_that_hangs_when_it_loads_keeps_nobody_waiting(server: tuple[str, int]) -> None:
    url, _ = server
    attackers = Attackers(url, SIZE)

    async def attack() -> None:
        await asyncio.gather(*(attackers.open(HANGING) for _ in range(64)))

    thread = threading.Thread(target=lambda: asyncio.run(attack()), daemon=True)
    thread.start()
    with httpx.Client(base_url=url, timeout=60) as http:
        time.sleep(1)
        began = time.monotonic()
        for _ in range(3):
            id = made(http, "harmless")
            assert http.post(f"/i/{id}/call", json={"name": "notes"}).json()["status"] == "ok"
            assert http.delete(f"/i/{id}").status_code == 204
        assert thread.is_alive()  # it is not over yet
        assert time.monotonic() - began < 10  # by its own limit a module may hang for longer


def test_a_deleted_instance_ends_whatever_it_does(server: tuple[str, int]) -> None:
    url, pid = server
    with httpx.Client(base_url=url, timeout=60) as http:
        before = hostile._workers(pid)
        ids = [made(http, HOSTILE) for _ in range(3)]
        for id, name in zip(ids, ("peek", "deaf", "answer_and_spin"), strict=True):
            http.post(f"/i/{id}/call", json={"name": name})
        for id in ids:
            assert http.delete(f"/i/{id}").status_code == 204
        until = time.monotonic() + 20
        while hostile._workers(pid) != before and time.monotonic() < until:
            time.sleep(0.05)
        assert hostile._workers(pid) == before


def test_a_client_that_is_stopped_in_the_middle_of_an_answer_stops(
    bundles: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uses = []

    async def use(_client: Client, _connection: Any) -> None:
        uses.append(True)
        try:
            await asyncio.sleep(60)
        finally:
            if len(uses) == 1:
                raise ValueError("half an answer is no status")

    async def work(url: str) -> Client:
        client = Client(url, HARMLESS, "127.0.0.3")
        async with asyncio.timeout(5), working([client]):
            await asyncio.sleep(0.2)
        return client

    monkeypatch.setattr(Client, "_use", use)
    harmless = next(path for path in bundles if path.name == HARMLESS)
    with served(harmless, isolation="process", log=tmp_path / "log") as (url, _):
        assert asyncio.run(work(url)).failures == []


def test_clients_that_come_after_a_server_process_stopped_are_served_by_the_other(
    bundles: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hostile_peers, "_SECONDS", 4.0)
    figures = hostile_peers.measured_with_a_stopped_peer(bundles, tmp_path / "log")
    assert figures["failures"] == 0, figures["failed"]
    assert figures["requests"] > 20
    assert figures["longest_stall_s"] < 4
    assert figures["stopped_instances"] == 4
    assert figures["stopped_told_after_s"] < 15
    assert figures["left"] == 0


def test_a_server_full_of_spinning_calls_stops_when_it_is_told_to(
    bundles: list[Path], tmp_path: Path
) -> None:
    program = [sys.executable, "-u", "-c", hostile._NO_RULES]
    with served(*bundles, isolation="process", log=tmp_path / "log", program=program) as (url, pid):
        attackers = Attackers(url, SIZE)

        async def attack() -> None:
            ids = await attackers.open_many(SIZE)
            await attackers.call_all(ids, "peek")
            await attackers.call_all(ids, "spin")

        thread = threading.Thread(target=lambda: asyncio.run(attack()), daemon=True)
        thread.start()
        time.sleep(3)
        family = memory.descendants(pid)
    assert hostile._left_after(family) == 0  # `served` waits 30 s for the end and fails after that
    thread.join(timeout=30)
