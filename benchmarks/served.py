"""`worldwright serve` in a process of its own, and the load that is put on it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import memory
from benchmarks.http import Connection
from benchmarks.sample import Sample, rounded
from synthesis.documents.tools import ToolCall

CONNECTIONS = 64
_START_SECONDS = 60
_PROGRAM = (sys.executable, "-m", "synthesis.cli")
_CLOCK_TICKS = 100

Request = Callable[[Connection], Awaitable[None]]
"""One request on one connection; raises when the answer is not what was asked for."""


@dataclass(frozen=True)
class Load:
    """What a server did under load."""

    calls_per_s: float
    cpu_seconds_per_call: float
    paced: Sample
    """Milliseconds at 80% of the full load, from the moment a call was due."""

    def as_json(self) -> dict[str, Any]:
        return {
            "mcp_calls_per_s": rounded(self.calls_per_s),
            "mcp_calls_per_core_s": rounded(1 / self.cpu_seconds_per_call),
            "mcp_ms": self.paced.as_json(),
            "mcp_p99_ms": rounded(self.paced.percentile(99)),
        }


@contextlib.contextmanager
def served(
    *bundles: Path,
    isolation: str,
    log: Path,
    program: Sequence[str] = _PROGRAM,
    workers: int = 1,
    options: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
) -> Iterator[tuple[str, int]]:
    """A running server: its URL and process id.

    Args:
        bundles: What it serves.
        isolation: "process" or "shared".
        log: Where it writes.
        program: What to run instead of the command line as it is.
        workers: How many server processes share the address.
        options: Further options of the command.
        environ: Further variables of its environment.
    """
    command = [
        *program,
        "serve",
        *map(str, bundles),
        "--port",
        "0",
        "--isolation",
        isolation,
        "--workers",
        str(workers),
        *options,
    ]
    variables = {**os.environ, **(environ or {})}
    with (
        log.open("w+b") as output,
        subprocess.Popen(command, stdout=output, stderr=output, env=variables) as server,
    ):
        try:
            yield _url(server, log), server.pid
        finally:
            server.terminate()
            server.wait(timeout=30)


def mcp_load(url: str, pid: int, calls: list[ToolCall], *, seconds: float) -> Load:
    """Full load over MCP from many connections, each on an instance of its own, then 80% of it."""
    return asyncio.run(_mcp_load(url, pid, calls, seconds))


async def _mcp_load(url: str, pid: int, calls: list[ToolCall], seconds: float) -> Load:
    connections = [await Connection.open(url) for _ in range(CONNECTIONS)]
    paths = []
    for connection in connections:
        opened = await connection.call("POST", "/instances", {})
        paths.append("/" + opened["mcp_url"].split("/", 3)[3])
    requests = [_tool_caller(path, calls) for path in paths]
    load = await put_load(connections, requests, pid, seconds=seconds)
    for connection in connections:
        await connection.close()
    return load


async def put_load(
    connections: list[Connection], requests: list[Request], pid: int, *, seconds: float
) -> Load:
    """Full load for some seconds, then 80% of it for as long."""
    await asyncio.gather(*(request(c) for c, request in zip(connections, requests, strict=True)))
    cpu, began, until = cpu_seconds(pid), time.perf_counter(), time.perf_counter() + seconds
    counts = await asyncio.gather(
        *(_flat_out(c, r, until) for c, r in zip(connections, requests, strict=True))
    )
    rate = sum(counts) / (time.perf_counter() - began)
    per_call = (cpu_seconds(pid) - cpu) / sum(counts)
    every = len(connections) / (0.8 * rate)
    began = time.perf_counter()
    waits = await asyncio.gather(
        *(
            _paced(c, r, began + every * place / len(connections), every, seconds)
            for place, (c, r) in enumerate(zip(connections, requests, strict=True))
        )
    )
    return Load(rate, per_call, Sample(tuple(wait for each in waits for wait in each)))


def cpu_seconds(pid: int) -> float:
    """CPU time of a server process and its workers."""
    total = 0
    for one in memory.descendants(pid):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / _CLOCK_TICKS


def _tool_caller(path: str, calls: list[ToolCall]) -> Request:
    number = 0

    async def request(connection: Connection) -> None:
        nonlocal number
        call = calls[number % len(calls)]
        number += 1
        params = {"name": call.name, "arguments": call.arguments}
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        answer = await connection.call("POST", path, body, {"MCP-Protocol-Version": "2025-06-18"})
        if "structuredContent" not in answer.get("result", {}):
            raise RuntimeError(f"{call.name}: {answer}")

    return request


async def _flat_out(connection: Connection, request: Request, until: float) -> int:
    count = 0
    while time.perf_counter() < until:
        await request(connection)
        count += 1
    return count


async def _paced(
    connection: Connection, request: Request, first: float, every: float, seconds: float
) -> list[float]:
    """Milliseconds of each call from when it was due: a late start counts, as for a waiting client."""
    waits, due, until = [], first, first + seconds
    while due < until:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await request(connection)
        waits.append((time.perf_counter() - due) * 1000)
        due += every
    return waits


def _url(server: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        if match := re.search(rb"http://127\.0\.0\.1:\d+", log.read_bytes()):
            return match.group().decode()
        time.sleep(0.05)
    raise RuntimeError(f"The server did not start: {log.read_text(errors='replace')[-2000:]}")
