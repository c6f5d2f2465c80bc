"""`worldwright serve` with several workers: sessions find theirs, and one that is lost costs no other."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from synthesis.documents.environment import Environment

pytestmark = pytest.mark.slow
"""They start processes and wait for them."""

Serve = Callable[..., Any]
Until = Callable[[Callable[[], bool]], None]


def test_sessions_find_their_process_whatever_carries_them(serve: Serve, clinic: Environment) -> None:
    """OpenEnv's, made over HTTP and used over a socket, and NeMo Gym's, named by a cookie."""
    served = serve("--workers", "2", "--nemo-gym")
    sockets = served.url.replace("http", "ws")
    create = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create", "params": {}}
    with served.http() as http:
        row = {"verifier_metadata": {"task_id": "read_total_owed"}}
        prefixes, sessions = set(), 0
        # Which process takes a connection is the kernel's choice.
        while prefixes != {"w0-", "w1-"} and sessions < 200:
            sessions += 1
            id = httpx.post(f"{served.url}/mcp", json=create).json()["result"]["session_id"]
            prefixes.add(id[:3])
            with connect(f"{sockets}/ws?session_id={id}") as socket:
                socket.send(json.dumps({"type": "reset", "data": {"task": "read_total_owed"}}))
                assert json.loads(socket.recv())["type"] == "observation"
                params = {"session_id": id, "name": "get_patient", "arguments": {"patient_id": 1}}
                call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
                assert httpx.post(f"{served.url}/mcp", json=call).json()["result"]["status"] == "ok"
                socket.send('{"type": "state"}')
                assert json.loads(socket.recv())["data"]["step_count"] == 1
            seeded = httpx.post(f"{served.url}/seed_session", json=row)
            seen = httpx.post(
                f"{served.url}/get_patient", json={"patient_id": 1}, cookies=dict(seeded.cookies)
            )
            assert "error" not in seen.json(), seen.text
        assert prefixes == {"w0-", "w1-"}
        assert http.get("/health").json()["instances"] == 2 * sessions
        for forged in ("w0-forged.trainer.1.x", "w1-forged.trainer.1.x"):  # each is foreign to one process
            for _ in range(8):
                with connect(f"{sockets}/ws?session_id={forged}") as socket:
                    assert json.loads(socket.recv(timeout=10))["data"]["code"] == "SESSION_ERROR"


def test_a_worker_that_dies_is_replaced_and_costs_only_its_instances(serve: Serve, until: Until) -> None:
    served = serve("--workers", "2")
    with served.http() as http:
        values = {
            id[:3]: id
            for id in (http.post("/instances", json={}).json()["credentials"]["trainer"] for _ in range(4))
        }
        victim = next(pid for pid in children_of(served.process.pid) if "serving.worker" in command_of(pid))
        os.kill(victim, signal.SIGKILL)
        until(lambda: answering(served.url) == 2)
        states = sorted(status(served.url, f"/i/{id}") for id in values.values())
        assert states == [200, 404]
        assert http.post("/instances", json={}).status_code == 201


def test_a_worker_that_is_stopped_holds_up_nobody_but_its_own_clients(serve: Serve, until: Until) -> None:
    served = serve("--workers", "3")
    with served.http() as http:
        outcomes = {http.post("/instances", json={}).json()["credentials"]["trainer"] for _ in range(3)}
        workers = [pid for pid in children_of(served.process.pid) if "serving.worker" in command_of(pid)]
        os.kill(workers[0], signal.SIGSTOP)
        try:
            health = from_another_worker(served.url, "GET", "/health")
            assert (health["workers"], health["workers_answering"]) == (3, 2)
            results = [from_another_worker(served.url, "GET", f"/i/{id}") for id in outcomes]
            assert [each["error"]["code"] for each in results if "error" in each] == ["worker_silent"]
            assert "id" in from_another_worker(served.url, "POST", "/instances")
        finally:
            os.kill(workers[0], signal.SIGCONT)
        until(lambda: answering(served.url) == 3)
        assert [status(served.url, f"/i/{id}") for id in outcomes] == [200, 200, 200]


def children_of(pid: int) -> list[int]:
    return [
        int(child)
        for path in Path(f"/proc/{pid}/task").glob("*/children")
        for child in path.read_text().split()
    ]


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def status(url: str, path: str) -> int:
    return httpx.get(f"{url}{path}", timeout=30).status_code


def from_another_worker(url: str, method: str, path: str) -> Any:
    """The answer of one that runs: a connection that the stopped one has accepted is made again."""
    for _ in range(20):
        with contextlib.suppress(httpx.TimeoutException):
            return httpx.request(method, url + path, json={} if method == "POST" else None, timeout=15).json()
    raise AssertionError("nobody answers")


def answering(url: str) -> int:
    """How many workers answer; a connection may still land on the one that died."""
    try:
        return int(httpx.get(f"{url}/health", timeout=30).json()["workers_answering"])
    except (httpx.HTTPError, ValueError, KeyError):
        return 0
