"""A kind of suite `hostile` of its own: one of two server processes behind one address is stopped.

Measured are clients that come afterwards, which the other process can serve whole, and how long a call waits
for an instance of the stopped one until it is told so.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import memory
from benchmarks.hostile_clients import Client, counted, working
from benchmarks.hostile_world import HARMLESS
from benchmarks.http import Connection
from benchmarks.sample import rounded
from benchmarks.served import served

STOPPED_PEER = "stopped_server_process"
_INSTANCES = 8
_SECONDS = 15.0
_END_SECONDS = 5.0


def measured_with_a_stopped_peer(bundles: list[Path], log: Path) -> dict[str, Any]:
    """The same figures as of every other kind."""
    # Of several processes, each starts with the static rules on.
    harmless = next(path for path in bundles if path.name == HARMLESS)
    with served(harmless, isolation="process", log=log, workers=2) as (url, pid):
        figures = asyncio.run(_measured(url, _server_processes(pid)))
        family = memory.descendants(pid)
    return {**figures, "left": _alive(family)}


async def _measured(url: str, processes: list[int]) -> dict[str, Any]:
    ids = [await _opened(url) for _ in range(_INSTANCES)]
    clients = [Client(url, HARMLESS, f"127.0.0.{number}") for number in (1, 3, 4)]
    with _stopped(processes[0]):
        waits = asyncio.gather(*(_answered(url, id) for id in ids))
        async with working(clients):
            await asyncio.sleep(_SECONDS)
        longest = max(clients, key=lambda client: client.longest)
        answers = await waits
    return {
        "point": 4,
        "longest_stall_s": rounded(longest.longest),
        "slowest": longest.slowest,
        "service_peak_mib": rounded(max(map(memory.peak_mib, processes))),
        "stopped_told_after_s": rounded(max(seconds for seconds, refused in answers if refused)),
        "stopped_instances": sum(refused for _, refused in answers),
        **counted(clients),
    }


async def _opened(url: str) -> str:
    connection = await Connection.open(url)
    with connection.kept():
        opened = await connection.call("POST", "/instances", {"environment": HARMLESS})
        return str(opened["credentials"]["trainer"])


async def _answered(url: str, id: str) -> tuple[float, bool]:
    """How long a call took, and whether it was refused."""
    connection = await Connection.open(url)
    began = time.perf_counter()
    with connection.kept():
        status, _, _ = await connection.request("POST", f"/i/{id}/call", {"name": "notes"})
    return time.perf_counter() - began, status != 200


@contextlib.contextmanager
def _stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def _server_processes(pid: int) -> list[int]:
    return [
        one
        for one in memory.descendants(pid)
        if b"synthesis.serving.worker" in Path(f"/proc/{one}/cmdline").read_bytes()
    ]


def _alive(family: set[int]) -> int:
    """Processes that outlive their server."""
    until = time.monotonic() + _END_SECONDS
    while (left := sum(Path(f"/proc/{one}").exists() for one in family)) and time.monotonic() < until:
        time.sleep(0.05)
    return left
