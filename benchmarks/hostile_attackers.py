"""Attackers: what the attacks of suite `hostile` have, and the list of them by kind.

To add one, write a coroutine and register it with `@attack(kind, point)`; `point` is the kind's number in the
issue of repairs. It has `Attackers` to make instances and requests with, and is cut off when its time is
over.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from benchmarks.hostile_world import HOSTILE
from benchmarks.http import Connection

ADDRESS = "127.0.0.2"
"""Where attackers come from: another address than that of the other clients."""


@dataclass
class Attackers:
    """What attacks have.

    Args:
        url: The server's.
        size: How many instances or connections an attack uses where it says nothing else.
    """

    url: str
    size: int
    instances: list[str] = field(default_factory=list)
    """Credentials of the instances that are to be deleted afterwards."""

    async def open(self, environment: str = HOSTILE, **more: Any) -> str | None:
        """A new instance's credential, which stands for its id in paths; None when the server refused."""
        answer = await self.ask("POST", "/instances", {"environment": environment, **more})
        if not isinstance(answer, dict) or "id" not in answer:
            return None
        self.instances.append(answer["credentials"]["trainer"])
        return str(answer["credentials"]["trainer"])

    async def open_many(self, count: int) -> list[str]:
        """Several instances."""
        opened = await asyncio.gather(*(self.open() for _ in range(count)))
        return [id for id in opened if id is not None]

    async def call(self, id: str, name: str, **arguments: Any) -> Any:
        """A tool's result, or what the server said instead."""
        return await self.ask("POST", f"/i/{id}/call", {"name": name, "arguments": arguments})

    async def call_all(self, ids: list[str], name: str, **arguments: Any) -> None:
        """The same call on several instances at once."""
        await asyncio.gather(*(self.call(id, name, **arguments) for id in ids))

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """One request on a connection of its own; None where it broke."""
        with contextlib.suppress(OSError, RuntimeError, EOFError, ValueError):
            connection = await Connection.open(self.url, source=ADDRESS)
            try:
                return await connection.call(method, path, body)
            finally:
                await connection.close()
        return None

    async def raw(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to write anything on."""
        where = urlsplit(self.url)
        return await asyncio.open_connection(where.hostname, where.port, local_addr=(ADDRESS, 0))


Attack = Callable[[Attackers], Awaitable[None]]


@dataclass(frozen=True)
class AttackKind:
    """One kind of attack."""

    name: str
    point: int
    """Of the issue of repairs."""
    run: Attack


KINDS: dict[str, AttackKind] = {}


def attack(name: str, point: int) -> Callable[[Attack], Attack]:
    """Register a kind of attack."""

    def register(run: Attack) -> Attack:
        KINDS[name] = AttackKind(name, point, run)
        return run

    return register
