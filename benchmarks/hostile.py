"""Suite `hostile`: what other clients of a server see while generated code and clients attack it.

A real `worldwright serve` on loopback, with the static rules switched off, so that only what stands behind
them is measured. For every kind of attack: the longest request of any other client, the most memory the
service took, and the processes and instances that were left when the attackers had gone.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import memory
from benchmarks.hostile_attackers import AttackKind
from benchmarks.hostile_clients import Client, counted, other_clients, working
from benchmarks.hostile_peers import STOPPED_PEER, measured_with_a_stopped_peer
from benchmarks.hostile_process import KINDS, attack_from_outside
from benchmarks.hostile_world import write_bundles
from benchmarks.http import Connection
from benchmarks.machine import machine
from benchmarks.sample import rounded
from benchmarks.served import served

SIZE, QUICK_SIZE = 64, 16
ATTACK_SECONDS = 20.0
_QUIET_SECONDS = 5.0
LEFT_SECONDS = 30.0
"""After the attackers have deleted their instances, until what is left is counted."""

_NO_RULES = """
import sys
from synthesis.worlds import toolset; from synthesis.worlds import world
toolset.refuse = world.refuse = lambda findings: None
from synthesis.cli.command_line import main
sys.exit(main(sys.argv[1:]))
"""


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """The figures of every kind of attack, and the worst of each figure."""
    size = QUICK_SIZE if arguments.quick else SIZE
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        bundles = write_bundles(folder)
        log = folder / "server.log"
        program = [sys.executable, "-u", "-c", _NO_RULES]
        with served(*bundles, isolation="process", log=log, program=program) as (url, pid):
            quiet, by_kind = asyncio.run(_all(url, pid, size))
            family = memory.descendants(pid)
        left = _left_after(family)
        by_kind[STOPPED_PEER] = measured_with_a_stopped_peer(bundles, folder / "peers.log")
        raw = _control_characters(log.read_bytes())
    return {
        "suite": "hostile",
        "machine": machine(),
        "size": size,
        "longest_stall_s": max(each["longest_stall_s"] for each in by_kind.values()),
        "service_peak_mib": max(each["service_peak_mib"] for each in by_kind.values()),
        "left": sum(each["left"] for each in by_kind.values()) + left,
        "left_after_the_end": left,
        "longest_without_attack_s": rounded(quiet),
        "control_characters_in_the_log": raw,
        "failures": sum(each["failures"] for each in by_kind.values()),
        "kinds": by_kind,
    }


async def _all(url: str, pid: int, size: int) -> tuple[float, dict[str, dict[str, Any]]]:
    """One kind after the other against the same server, as it would meet them; first the longest request
    without any, which is what the machine makes of it."""
    clients = other_clients(url)
    async with working(clients):
        await asyncio.sleep(_QUIET_SECONDS)
        quiet = max(client.longest for client in clients)
        return quiet, {kind.name: await _measured(kind, clients, url, pid, size) for kind in KINDS.values()}


async def _measured(kind: AttackKind, clients: list[Client], url: str, pid: int, size: int) -> dict[str, Any]:
    print(f"{kind.name} ...", file=sys.stderr, flush=True)
    _forget_peak(pid)
    for client in clients:
        client.forget()
    load = os.getloadavg()[0]
    took = await attack_from_outside(kind, url, size, ATTACK_SECONDS)
    left = await _left(pid, url, len(clients))
    slowest = max(clients, key=lambda client: client.longest, default=None)
    return {
        "point": kind.point,
        "longest_stall_s": rounded(slowest.longest) if slowest else 0.0,
        "slowest": slowest.slowest if slowest else "",
        "service_peak_mib": rounded(memory.peak_mib(pid)),
        "left": left,
        **{name: rounded(seconds) for name, seconds in took.items()},
        "load": rounded(load),
        **counted(clients),
    }


async def _left(pid: int, url: str, clients: int) -> int:
    """Instances and processes beyond those of the other clients: each has one or two for a moment."""
    until = time.monotonic() + LEFT_SECONDS
    while True:
        connection = await Connection.open(url)
        with connection.kept():
            health = await connection.call("GET", "/health")
            instances = int(health["instances"]) - clients
        extra = len(_workers(pid)) - 2 * clients
        left = max(0, instances) + max(0, extra)
        if not left or time.monotonic() > until:
            return left
        await asyncio.sleep(0.2)


def _workers(pid: int) -> set[int]:
    """Workers of a server: what descends from it, but for the fork server and the templates."""
    family = memory.descendants(pid)
    parents = {one: _parent(one) for one in family}
    forkers = {one for one in family if parents[one] == pid}
    templates = {one for one in family if parents[one] in forkers}
    return {one for one in family if parents[one] in templates}


def _parent(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[1]) if fields[0] != "Z" else 0
    return 0


def _left_after(family: set[int]) -> int:
    """Processes of a server that outlive it by two seconds."""
    until = time.monotonic() + 2
    while left := sum(_parent(pid) != 0 for pid in family):
        if time.monotonic() > until:
            break
        time.sleep(0.05)
    return left


def _forget_peak(pid: int) -> None:
    with contextlib.suppress(OSError):  # then the peak is that of all kinds until here
        Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")


def _control_characters(log: bytes) -> int:
    """Characters in what the server wrote that steer a terminal."""
    return sum(byte < 0x20 and byte not in b"\t\n" for byte in log)
