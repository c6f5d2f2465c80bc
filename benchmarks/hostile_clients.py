"""The other clients of suite `hostile`: what they do, and how long their longest request took."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any

from benchmarks.hostile_world import HARMLESS, HOSTILE, TASK
from benchmarks.http import Connection


class Client:
    """Another client: one request after the other, each timed."""

    def __init__(self, url: str, environment: str, source: str) -> None:
        self._url, self._environment, self._source = url, environment, source
        self.longest, self.requests, self.failures = 0.0, 0, list[str]()
        self.slowest = ""
        """What the longest request was."""
        self._counted_from = 0.0

    def forget(self) -> None:
        """Begin to count anew, requests under way too: before now they waited for something else."""
        self.longest, self.requests, self.slowest = 0.0, 0, ""
        self._counted_from = time.perf_counter()
        self.failures.clear()

    async def work(self) -> None:
        """Use an instance, look at the server's health, and now and then start over, for ever."""
        while True:
            try:
                connection = await Connection.open(self._url, source=self._source)
                with connection.kept():
                    await self._use(connection)
            except (OSError, EOFError, RuntimeError, ValueError) as error:
                if _is_cancelled():  # in the middle of an answer, so that what followed was misread
                    return
                self.failures.append(f"{type(error).__name__}: {error}"[:200])
                await asyncio.sleep(0.05)

    async def _use(self, connection: Connection) -> None:
        opened = await self._timed(
            connection, "POST", "/instances", {"environment": self._environment, "task": TASK}
        )
        path = f"/i/{opened['credentials']['trainer']}"
        try:
            for number in range(10):
                call = {"name": "note", "arguments": {"text": f"note {number}"}}
                result = await self._timed(connection, "POST", f"{path}/call", call)
                if result["status"] != "ok":
                    raise RuntimeError(f"a call came to {result}")
                await self._timed(connection, "GET", "/health")
                await asyncio.sleep(0.02)
            await self._timed(connection, "POST", f"{path}/verify", {"answer": "first"})
        finally:
            await self._timed(connection, "DELETE", path)

    async def _timed(self, connection: Connection, method: str, path: str, body: Any = None) -> Any:
        began = time.perf_counter()
        try:
            return await connection.call(method, path, body)
        finally:
            self.requests += 1
            seconds = time.perf_counter() - max(began, self._counted_from)
            if seconds > self.longest:
                self.longest, self.slowest = seconds, f"{method} {path.rpartition('/')[2]}"


def _is_cancelled() -> bool:
    """Whether the running task was cancelled, even if another error came of it."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def other_clients(url: str) -> list[Client]:
    """Two that have nothing to do with the attackers, and one that uses the environment they use."""
    return [
        Client(url, HARMLESS, "127.0.0.1"),
        Client(url, HARMLESS, "127.0.0.3"),
        Client(url, HOSTILE, "127.0.0.4"),
    ]


@contextlib.asynccontextmanager
async def working(clients: list[Client]) -> AsyncIterator[None]:
    """The clients work while the block runs."""
    tasks = [asyncio.create_task(client.work()) for client in clients]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def counted(clients: list[Client]) -> dict[str, Any]:
    """What several clients did and what failed."""
    return {
        "requests": sum(client.requests for client in clients),
        "failures": sum(len(client.failures) for client in clients),
        "failed": sorted({failure for client in clients for failure in client.failures})[:3],
    }
