"""`worldwright serve` as a process, used by the official MCP client, old era and new, and by plain HTTP."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from mcp import ClientSession
from mcp.client.caching import CacheConfig, InMemoryResponseCacheStore
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from synthesis.documents.environment import Environment

Serve = Callable[..., Any]
Served = Any
Until = Callable[[Callable[[], bool]], None]
CANCEL = ("cancel_appointment", {"appointment_id": 7, "reason": "patient"})


@asynccontextmanager
async def handshake_era(url: str) -> AsyncIterator[ClientSession]:
    async with streamable_http_client(url) as streams, ClientSession(streams[0], streams[1]) as session:
        assert (await session.initialize()).protocol_version == "2025-11-25"
        yield session


@asynccontextmanager
async def modern_era(url: str) -> AsyncIterator[Client]:
    async with Client(url) as client:
        assert client.protocol_version == "2026-07-28"
        yield client


ERAS = {"handshake": handshake_era, "modern": modern_era}


@pytest.fixture(params=sorted(ERAS))
def era(request: pytest.FixtureRequest) -> Callable[[str], Any]:
    return ERAS[request.param]


def test_an_mcp_client_does_a_task_and_is_rewarded(served: Served, era: Any, clinic: Environment) -> None:
    task = next(task for task in clinic.tasks.tasks if task.kind == "write")
    with served.http() as http:
        mine = http.post("/instances", json={"task": task.id}).json()
        other = http.post("/instances", json={}).json()
        start = http.get(other["url"]).json()["state_hash"]

        async def play() -> list[Any]:
            async with era(mine["mcp_url"]) as client, era(other["mcp_url"]) as idle:
                listed = (await client.list_tools()).tools
                assert [tool.name for tool in listed[:-1]] == [tool.name for tool in clinic.tools.tools]
                assert listed[-1].name == "submit_answer"
                details = {tool.name: tool for tool in listed}
                assert details["cancel_appointment"].annotations.read_only_hint is False
                assert details["get_patient"].annotations.read_only_hint is True
                assert details["get_patient"].input_schema == clinic.tools.tools[1].input_schema
                assert len((await idle.list_tools()).tools) == len(listed)
                return [await client.call_tool(call.name, call.arguments) for call in task.reference_solution]

        results = asyncio.run(play())
        assert not any(result.is_error for result in results)
        for result in results:
            assert json.loads(result.content[0].text) == result.structured_content
        verdict = http.post(f"{mine['url']}/verify", json={"answer": task.reference_answer}).json()
        assert (verdict["label"], verdict["reward"]) == ("completed", 1.0)
        assert http.get(other["url"]).json()["state_hash"] == start
        for each in (mine, other):
            assert http.delete(each["url"]).status_code == 204
        assert http.post(f"{mine['url']}/call", json={"name": "x"}).status_code == 404


def test_an_mcp_client_reads_what_an_agent_is_told_and_submits_its_answer(
    served: Served, era: Any, clinic: Environment
) -> None:
    task = next(task for task in clinic.tasks.tasks if task.kind == "read")
    with served.http() as http:
        mine = http.post("/instances", json={"task": task.id}).json()
        other = http.post("/instances", json={}).json()

        async def play() -> tuple[str, str, Any, Any]:
            async with era(mine["mcp_url"]) as client, era(other["mcp_url"]) as idle:
                (resource,) = (await client.list_resources()).resources
                text = (await client.read_resource(resource.uri)).contents[0].text
                idle_text = (await idle.read_resource(resource.uri)).contents[0].text
                wrong = await client.call_tool("submit_answer", {"text": "x", "outcome": "maybe"})
                fields = {"text": task.reference_answer, "outcome": "done"}
                return text, idle_text, wrong, await client.call_tool("submit_answer", fields)

        text, idle_text, wrong, submitted = asyncio.run(play())
        assert clinic.policy is not None
        for part in (
            clinic.scenario.description,
            clinic.policy.text,
            "2026-03-11 08:30",
            "staff",
            "# Answer",
        ):
            assert part in text
            assert part in idle_text
        assert task.instruction in text
        assert task.instruction not in idle_text
        assert wrong.is_error
        assert not submitted.is_error
        refused = http.post(
            f"{mine['url']}/call", json={"name": "get_patient", "arguments": {"patient_id": 1}}
        )
        assert refused.json()["status"] == "refused"
        assert http.post(f"{mine['url']}/verify", json={}).json()["label"] == "completed"
        http.post(f"{mine['url']}/reset", json={})
        assert http.post(f"{mine['url']}/verify", json={}).json()["label"] != "completed"


def test_the_instructions_of_a_server_are_those_of_the_instance(served: Served, clinic: Environment) -> None:
    task = clinic.tasks.tasks[0]
    with served.http() as http:
        urls = [http.post("/instances", json=asked).json()["mcp_url"] for asked in ({"task": task.id}, {})]

    async def instructions(url: str) -> str:
        async with streamable_http_client(url) as streams, ClientSession(streams[0], streams[1]) as session:
            return (await session.initialize()).instructions or ""

    async def both() -> list[str]:
        return list(await asyncio.gather(*(instructions(url) for url in urls)))

    mine, other = asyncio.run(both())
    assert clinic.scenario.description in mine
    assert clinic.scenario.description in other
    assert task.instruction in mine
    assert task.instruction not in other


def test_a_client_need_not_ask_again_which_tools_there_are(served: Served, clinic: Environment) -> None:
    cache = CacheConfig(store=InMemoryResponseCacheStore(), partition="p", target_id=served.url)
    wants: list[str] = []

    async def listed(url: str, http: Any) -> tuple[list[str], Any]:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, cache=cache) as client:
            named = [tool.name for tool in (await client.list_tools()).tools]
            return named, await client.call_tool(*CANCEL)

    async def twice() -> list[tuple[list[str], Any]]:
        async with create_mcp_http_client() as http:

            async def noted(request: Any) -> None:
                wants.append(json.loads(request.content)["method"])

            http.event_hooks["request"].append(noted)
            return [await listed(each["mcp_url"], http) for each in instances]

    with served.http() as http:
        instances = [http.post("/instances", json={}).json() for _ in range(2)]
        results = asyncio.run(twice())
    names = [*(tool.name for tool in clinic.tools.tools), "submit_answer"]
    assert [named for named, _ in results] == [names, names]
    assert not any(result.is_error for _, result in results)
    assert wants.count("tools/list") == 1
    assert wants.count("tools/call") == 2


def test_what_does_not_go_through_is_an_error_the_agent_can_read(served: Served, era: Any) -> None:
    with served.http() as http:
        url = http.post("/instances", json={}).json()["mcp_url"]

    async def play() -> list[Any]:
        async with era(url) as client:
            return [
                await client.call_tool("get_patient", {"patient_id": 999}),
                await client.call_tool("get_patient", {"patient_id": "x"}),
                await client.call_tool("verify", {"answer": "x"}),
            ]

    results = asyncio.run(play())
    assert [result.is_error for result in results] == [True, True, True]
    assert [result.meta["worldwright/status"] for result in results] == [
        "refused",
        "invalid_arguments",
        "unknown_tool",
    ]
    assert results[0].content[0].text == "Patient 999 does not exist."


@pytest.mark.slow
def test_a_hundred_instances_are_used_at_once_without_a_trace_of_each_other(served: Served) -> None:
    with served.http() as http:
        results = [http.post("/instances", json={}).json() for _ in range(100)]

        async def cancel(number: int) -> None:
            async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
                for appointment in (7, 16)[: number % 3]:
                    arguments = {"appointment_id": appointment, "reason": "patient"}
                    body = {"name": "cancel_appointment", "arguments": arguments}
                    answer = await client.post(f"{results[number]['url']}/call", json=body)
                    assert answer.json()["status"] == "ok", answer.text

        async def all_of_them() -> None:
            await asyncio.gather(*(cancel(number) for number in range(100)))

        asyncio.run(all_of_them())
        hashes = [http.get(each["url"]).json()["state_hash"] for each in results]
        kinds = [set(hashes[rest::3]) for rest in range(3)]
        assert [len(kind) for kind in kinds] == [1, 1, 1]
        assert len(set.union(*kinds)) == 3


def test_a_client_that_vanishes_mid_call_costs_nothing_but_its_call(served: Served, until: Until) -> None:
    with served.http() as http:
        id = http.post("/instances", json={}).json()["credentials"]["trainer"]
        address = urlsplit(served.url)
        body = json.dumps({"name": CANCEL[0], "arguments": CANCEL[1]}).encode()
        head = f"POST /i/{id}/call HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: {len(body)}\r\n\r\n"
        for sent in (head.encode() + body, head.encode() + body[:10], head.encode()[:30]):
            with socket.create_connection((str(address.hostname), address.port or 0)) as raw:
                raw.sendall(sent)
        until(lambda: http.get(f"/i/{id}").json()["calls"] == 1)
        again = http.post(f"/i/{id}/call", json={"name": CANCEL[0], "arguments": CANCEL[1]}).json()
        assert again["status"] == "refused"
        until(lambda: "worldwright_in_flight 1\n" in http.get("/metrics").text)


def test_unknown_instances_and_methods_are_refused_before_mcp_is_spoken(served: Served) -> None:
    with served.http() as http:
        assert http.post("/i/nope/mcp", json={}).status_code == 401
        url = http.post("/instances", json={}).json()["mcp_url"]
        for method in ("GET", "DELETE", "PUT"):
            refused = http.request(method, url)
            assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
        assert http.post(url, content=b"{", headers={"content-type": "application/json"}).status_code == 400


def test_the_token_guards_every_door(serve: Serve, tmp_path: Path, era: Any) -> None:
    (tmp_path / "token").write_text("a-long-secret\n")
    served = serve("--token-file", str(tmp_path / "token"))
    with served.http() as stranger, served.http(Authorization="Bearer a-long-secret") as http:
        assert stranger.post("/instances", json={}).status_code == 401
        assert stranger.get("/health").status_code == 200
        result = http.post("/instances", json={}).json()
        assert stranger.post(f"/i/{result['instance']}/mcp", json={}).status_code == 401
        assert stranger.post(f"{result['url']}x/verify", json={}).status_code == 401
        assert http.get(f"/i/{result['instance']}").status_code == 200
    assert "a-long-secret" not in Path(f"/proc/{served.process.pid}/cmdline").read_text()


def test_limits_of_the_command_line_hold(serve: Serve) -> None:
    served = serve("--max-instances", "2", "--max-body", "2048", "--idle", "60")
    with served.http() as http:
        for _ in range(2):
            assert http.post("/instances", json={}).status_code == 201
        assert http.post("/instances", json={}).status_code == 503
        assert http.post("/instances", content=b"x" * 3000).status_code == 413
        foreign = http.get("/health", headers={"host": "evil.example"})
        assert foreign.status_code == 421


def test_a_bundle_swapped_on_disk_changes_nothing_that_is_served(
    clinic_path: Path, tmp_path: Path, start_on: Callable[..., Any], clinic: Environment
) -> None:
    folder = tmp_path / "clinic"
    shutil.copytree(clinic_path, folder)
    served = start_on(folder)
    for path in folder.rglob("*.py"):
        path.write_text("swapped = 1\n")
    task = clinic.tasks.tasks[0]
    with served.http() as http:
        url = http.post("/instances", json={"task": task.id}).json()["url"]
        for call in task.reference_solution:
            assert http.post(f"{url}/call", json=call.model_dump()).json()["status"] == "ok"
        assert http.post(f"{url}/verify", json={"answer": task.reference_answer}).json()["reward"] == 1.0


def test_code_that_an_operator_trusts_may_share_processes(serve: Serve) -> None:
    served = serve("--isolation", "shared")
    assert b"instances share processes" in served.said
    with served.http() as http:
        ids = [http.post("/instances", json={}).json()["credentials"]["trainer"] for _ in range(8)]
        name, arguments = CANCEL
        answer = http.post(f"/i/{ids[0]}/call", json={"name": name, "arguments": arguments}).json()
        assert answer["status"] == "ok"
        hashes = [http.get(f"/i/{id}").json()["state_hash"] for id in ids]
        assert len(set(hashes)) == 2
        assert hashes.count(hashes[0]) == 1


@pytest.mark.parametrize("options", [(), ("--workers", "2")])
@pytest.mark.slow
def test_a_stopped_server_leaves_no_process_behind(
    serve: Serve, until: Until, options: tuple[str, ...]
) -> None:
    served = serve(*options)
    with served.http() as http:
        for _ in range(4):
            http.post("/instances", json={})
    children = served.children()
    assert len(children) >= 4
    assert served.stop() == 0
    assert b"rror" not in served.said, served.said.decode()
    until(lambda: not any(alive(pid) for pid in children))


@pytest.mark.slow
def test_a_killed_server_leaves_no_process_behind(serve: Serve, until: Until) -> None:
    served = serve("--workers", "2")
    with served.http() as http:
        http.post("/instances", json={})
    children = served.children()
    served.process.kill()
    served.process.wait()
    until(lambda: not any(alive(pid) for pid in children))


@pytest.mark.slow
def test_several_workers_share_one_address(serve: Serve, era: Any, clinic: Environment) -> None:
    served = serve("--workers", "2", "--max-instances", "6")
    with served.http() as http:
        results = [http.post("/instances", json={"task": "read_total_owed"}).json() for _ in range(6)]
        assert {each["id"][:3] for each in results} == {"w0-", "w1-"}
        assert http.post("/instances", json={}).status_code == 503
        assert http.get("/health").json() | {"sandbox": None} == {
            "status": "ok",
            "version": http.get("/health").json()["version"],
            "environments": ["clinic_front_desk"],
            "instances": 6,
            "max_instances": 6,
            "sandbox": None,
            "workers": 2,
            "workers_answering": 2,
        }

        async def play() -> None:
            for each in results:
                async with era(each["mcp_url"]) as client:
                    result = await client.call_tool(*CANCEL)
                    assert not result.is_error

        asyncio.run(play())
        for each in results:
            assert http.get(each["url"]).json()["calls"] == 1
            url = f"{each['url']}/verify?x=1"
            assert http.post(url, json={"answer": ""}).json()["status"] == "scored"
        assert 'worldwright_calls_total{status="ok"} 6' in http.get("/metrics").text
        for each in results:
            assert http.delete(each["url"]).status_code == 204
        assert http.delete(results[0]["url"]).status_code == 404
        assert http.get("/i/w7-nobody").status_code == 401


def test_a_taken_port_is_said_in_one_line(served: Served, clinic_path: Path) -> None:
    port = str(urlsplit(served.url).port)
    done = subprocess.run(
        [served.process.args[0], "-m", "synthesis.cli", "serve", str(clinic_path), "--port", port],
        cwd=clinic_path.parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == f"worldwright: Cannot listen on 127.0.0.1 port {port}: Address already in use.\n"


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
