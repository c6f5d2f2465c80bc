"""The predecessor's manner: one web server process per instance, started for it and ended with it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import memory
from benchmarks.http import Connection
from benchmarks.sample import Sample, rounded
from benchmarks.served import CONNECTIONS, put_load
from benchmarks.subject import Subject
from synthesis.documents.tools import ToolCall

_START_SECONDS = 120


def baseline(subject: Subject, folder: Path, *, copies: int, seconds: float, starts: int) -> dict[str, Any]:
    """What one process per instance costs.

    Args:
        subject: The environment.
        folder: Where its files are written.
        copies: Instances launched together.
        seconds: How long each load lasts.
        starts: How often a single start is measured.
    """
    _write(subject, folder)
    started = Sample(tuple(_start_once(folder, subject.read) for _ in range(starts)))
    with contextlib.ExitStack() as stack:
        began = time.perf_counter()
        servers = [stack.enter_context(_server(folder)) for _ in range(copies)]
        for port, _ in servers:
            asyncio.run(_first_call(port, subject.read))
        together = time.perf_counter() - began
        each_kib = _kib({pid for _, pid in servers}) / copies
        port, pid = servers[0]
        calls = asyncio.run(_calls(port, [subject.read, subject.write], times=100))
        load = asyncio.run(_session_load(port, pid, [subject.read, subject.write], seconds))
    episodes = episodes_per_s(subject, folder, seconds=max(seconds, 2 * started.median / 1000))
    return {
        "first_call_ms": rounded(started.median),
        "compile_ms": None,
        "instances_1024_s": rounded(together / copies * 1024),
        "instance_kib": rounded(each_kib),
        "server_mib": rounded(each_kib * 1024 / 1024),
        "call_ms": rounded(calls.median),
        "calls_per_s": rounded(load["calls_per_s"]),
        "mcp_calls_per_s": load["mcp_calls_per_s"],
        "mcp_p99_ms": load["mcp_p99_ms"],
        "reset_ms": rounded(started.median),
        "episodes_per_s": rounded(episodes),
        "spread": {"first_call_ms": started.as_json(), "call_ms": calls.as_json(), "mcp_ms": load["mcp_ms"]},
        "notes": {
            "instances_1024_s": f"{copies} launched together, times 1024/{copies}",
            "server_mib": "1024 times one instance",
            "calls_per_s": f"plain JSON, {CONNECTIONS} connections to one instance",
            "mcp_calls_per_s": f"{CONNECTIONS} kept sessions to one instance",
            "reset_ms": "the server is started again",
            "episodes_per_s": "a server for each, two at a time, nothing verified",
            "compile_ms": "nothing is compiled beforehand; every start does it",
        },
    }


def _write(subject: Subject, folder: Path) -> None:
    environment = subject.environment
    actor = environment.seed_data.actor
    given = {
        "schema": environment.schema.sql,
        "rows": environment.seed_data.model_dump(mode="json")["rows"],
        "tools": environment.tools.source,
        "specs": [
            tool.model_dump(mode="json", by_alias=True, exclude={"mutates_state"})
            for tool in environment.tools.tools
        ],
        "clock": environment.scenario.clock.isoformat(),
        "actor": actor.key if actor else None,
    }
    (folder / "baseline.json").write_text(json.dumps(given), encoding="utf-8")


@contextlib.contextmanager
def _server(folder: Path) -> Iterator[tuple[int, int]]:
    """A server that is starting: its port and process id."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.baseline_server", str(folder), str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            yield port, server.pid
        finally:
            server.kill()


def _start_once(folder: Path, call: ToolCall) -> float:
    began = time.perf_counter()
    with _server(folder) as (port, _):
        asyncio.run(_first_call(port, call))
        return (time.perf_counter() - began) * 1000


async def _first_call(port: int, call: ToolCall) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            connection = await Connection.open(f"http://127.0.0.1:{port}")
        except OSError:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.01)
            continue
        await connection.call("POST", "/call", _asked(call))
        await connection.close()
        return


async def _calls(port: int, calls: list[ToolCall], *, times: int) -> Sample:
    connection = await Connection.open(f"http://127.0.0.1:{port}")
    values = []
    for number in range(times):
        began = time.perf_counter()
        await connection.call("POST", "/call", _asked(calls[number % len(calls)]))
        values.append((time.perf_counter() - began) * 1000)
    await connection.close()
    return Sample(tuple(values))


async def _session_load(port: int, pid: int, calls: list[ToolCall], seconds: float) -> dict[str, Any]:
    """Load on one instance: over MCP with kept sessions, then plain JSON."""
    connections = [await Connection.open(f"http://127.0.0.1:{port}") for _ in range(CONNECTIONS)]
    sessions = [await _session(connection) for connection in connections]
    number = 0

    def caller(session: str) -> Any:
        async def request(connection: Connection) -> None:
            nonlocal number
            number += 1
            body = {
                "jsonrpc": "2.0",
                "id": number,
                "method": "tools/call",
                "params": _asked(calls[number % len(calls)]),
            }
            answer = await connection.call("POST", "/mcp/", body, {"Mcp-Session-Id": session})
            if "result" not in answer:
                raise RuntimeError(str(answer))

        return request

    async def plain(connection: Connection) -> None:
        nonlocal number
        number += 1
        await connection.call("POST", "/call", _asked(calls[number % len(calls)]))

    over_mcp = await put_load(connections, [caller(session) for session in sessions], pid, seconds=seconds)
    json_load = await put_load(connections, [plain] * CONNECTIONS, pid, seconds=seconds)
    for connection in connections:
        await connection.close()
    return {**over_mcp.as_json(), "calls_per_s": json_load.calls_per_s}


async def _session(connection: Connection) -> str:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
    status, headers, content = await connection.request("POST", "/mcp/", body)
    if status != 200:
        raise RuntimeError(f"initialize: {status} {content[:300]!r}")
    session = headers["mcp-session-id"]
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await connection.request("POST", "/mcp/", ready, {"Mcp-Session-Id": session})
    return session


def episodes_per_s(subject: Subject, folder: Path, *, seconds: float) -> float:
    """Ten-call episodes a second, two at a time, each with a server of its own."""
    _write(subject, folder)

    async def run(until: float) -> int:
        async def one_line() -> int:
            count = 0
            while time.perf_counter() < until:
                with _server(folder) as (port, _):
                    await _first_call(port, subject.episode[0])
                    connection = await Connection.open(f"http://127.0.0.1:{port}")
                    for call in subject.episode[1:]:
                        await connection.call("POST", "/call", _asked(call))
                    await connection.close()
                count += 1
            return count

        return sum(await asyncio.gather(one_line(), one_line()))

    began = time.perf_counter()
    total = asyncio.run(run(began + seconds))
    return total / (time.perf_counter() - began)


def _asked(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "arguments": call.arguments}


def _kib(pids: set[int]) -> float:
    pss = memory.pss_kib(pids)
    return float(sum(memory.rss_kib(pid) for pid in pids) if pss is None else pss)
