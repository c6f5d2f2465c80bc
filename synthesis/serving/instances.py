"""Instances: the live instances of one server, created, found, used one call at a time, reaped and closed."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pydantic import JsonValue

from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolResult
from synthesis.documents.verdict import Verdict
from synthesis.errors import CapacityExhausted, UnknownName, WorldwrightError
from synthesis.serving.faults import Refused
from synthesis.serving.metrics import Metrics
from synthesis.serving.settings import ServeSettings
from synthesis.verification.verifier import verify
from synthesis.worlds.world import Instance, World

T = TypeVar("T")


class Live:
    """One instance with what the server knows of it."""

    def __init__(self, id: str, world: World, instance: Instance, task: Task | None) -> None:
        self.id, self.world, self.instance, self.task = id, world, instance, task
        self.calls = 0
        self.used = time.monotonic()
        self.waiting = 0
        self.closed = False
        self.turn = asyncio.Lock()


class Instances:
    """All instances of one server process. Its methods belong to one event loop; worlds run in threads.

    Args:
        worlds: Compiled worlds by environment name; this object closes their instances, not them.
        settings: Limits.
        metrics: Where to count.
        prefix: What every id made here starts with, so that a request finds the process that made it.
    """

    def __init__(
        self, worlds: Mapping[str, World], settings: ServeSettings, metrics: Metrics, *, prefix: str = ""
    ) -> None:
        self.worlds, self.settings, self.metrics, self.prefix = worlds, settings, metrics, prefix
        self._live: dict[str, Live] = {}
        self._opening = 0
        self._threads = ThreadPoolExecutor(settings.threads, thread_name_prefix="world")
        self.draining = False

    def __len__(self) -> int:
        return len(self._live) + self._opening

    def world(self, name: str | None) -> World:
        """The world of that environment; None names the only one.

        Raises:
            UnknownName: There is no such environment, or several and none was named.
        """
        if name is None and len(self.worlds) == 1:
            return next(iter(self.worlds.values()))
        if name is None or name not in self.worlds:
            raise UnknownName("environment", name or "", list(self.worlds))
        return self.worlds[name]

    async def open(self, environment: str | None, task_id: str | None, seed: int) -> Live:
        """A fresh instance.

        Raises:
            UnknownName: No such environment or task.
            CapacityExhausted: The server is full.
            Refused: The server is stopping.
        """
        world = self.world(environment)
        task = find_task(world, task_id) if task_id is not None else None
        if self.draining:
            raise Refused(503, "stopping", "The server is stopping; ask another one.", retry_after=5)
        if len(self) >= self.settings.max_instances:
            self.metrics.count("worldwright_instances_refused_total")
            raise CapacityExhausted(
                f"All {self.settings.max_instances} instances are in use; DELETE one, or try again later."
            )
        self._opening += 1
        try:
            instance = await self._in_thread(lambda: world.instance(seed=seed))
        finally:
            self._opening -= 1
        live = Live(f"{self.prefix}{secrets.token_urlsafe(16)}", world, instance, task)
        self._live[live.id] = live
        self.metrics.count("worldwright_instances_opened_total")
        return live

    def find(self, id: str) -> Live:
        """The instance of that id, marked as used now.

        Raises:
            Refused: There is none (404): never made, deleted, or idle for too long.
        """
        live = self._live.get(id)
        if live is None:
            raise Refused(404, "unknown_instance", f"There is no instance {id!r}: POST /instances makes one.")
        live.used = time.monotonic()
        return live

    async def call(self, live: Live, name: str, arguments: dict[str, JsonValue]) -> ToolResult:
        """One tool call, after those that came before it.

        Raises:
            Refused: Too many calls wait for this instance.
            WorldError: The world cannot go on.
        """
        started = time.perf_counter()
        try:
            async with self._turn(live):
                result = await self._in_thread(lambda: live.instance.call(name, arguments))
        except WorldwrightError:
            self.metrics.call("failed", time.perf_counter() - started)
            raise
        live.calls += 1
        self.metrics.call(result.status, time.perf_counter() - started)
        return result

    async def reset(self, live: Live, seed: int | None) -> None:
        """Back to the start of the world, with another random seed if one is named."""
        async with self._turn(live):
            await self._in_thread(lambda: live.instance.reset(seed))
        self.metrics.count("worldwright_resets_total")

    async def state_hash(self, live: Live) -> str:
        """Hash of the whole state."""
        async with self._turn(live):
            return await self._in_thread(live.instance.state_hash)

    async def verify(self, live: Live, task_id: str | None, answer: str) -> Verdict:
        """What the episode on this instance is worth for a task; the instance goes on unchanged.

        Raises:
            Refused: No task was named, here or when the instance was made.
            UnknownName: No such task.
        """
        task = find_task(live.world, task_id) if task_id is not None else live.task
        if task is None:
            raise Refused(422, "invalid_input", 'Name the task: {"task": "<id>", "answer": "..."}.')

        def measure() -> Verdict:
            return verify(live.world, task.id, live.world.base, live.instance.snapshot(), answer)

        async with self._turn(live):
            verdict = await self._in_thread(measure)
        self.metrics.count("worldwright_verdicts_total", "label", verdict.label)
        return verdict

    async def close(self, live: Live, *, reason: str = "deleted") -> None:
        """End an instance after the call it is at, and free its slot."""
        if self._live.pop(live.id, None) is None:
            return
        live.closed = True
        self.metrics.count("worldwright_instances_closed_total", "reason", reason)
        async with live.turn:
            await self._in_thread(live.instance.close)

    async def reap_for_ever(self) -> None:
        """Close instances nobody uses, until cancelled."""
        pause = min(5.0, self.settings.idle_seconds / 4)
        while True:
            await asyncio.sleep(pause)
            oldest = time.monotonic() - self.settings.idle_seconds
            for live in [live for live in self._live.values() if live.used < oldest and not live.waiting]:
                with contextlib.suppress(WorldwrightError):  # it is gone from the table either way
                    await self.close(live, reason="idle")

    async def close_all(self) -> None:
        """Take no more instances, end those there are, and stop the threads."""
        self.draining = True
        closing = [self.close(live, reason="stopped") for live in list(self._live.values())]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.settings.drain_seconds):
                await asyncio.gather(*closing, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    @contextlib.asynccontextmanager
    async def _turn(self, live: Live) -> AsyncIterator[None]:
        """Calls on one instance are served one after another, in the order they came."""
        if live.waiting >= self.settings.max_waiting:
            raise Refused(503, "busy", f"{live.waiting} calls wait for this instance already.", retry_after=1)
        live.waiting += 1
        try:
            async with live.turn:
                if live.closed:
                    raise Refused(404, "unknown_instance", f"Instance {live.id!r} was deleted.")
                yield
                live.used = time.monotonic()
        finally:
            live.waiting -= 1

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def find_task(world: World, task_id: str) -> Task:
    """The task of that id.

    Raises:
        UnknownName: There is none.
    """
    task = world.environment.task(task_id)
    if task is None:
        raise UnknownName("task", task_id, [task.id for task in world.environment.tasks.tasks])
    return task
