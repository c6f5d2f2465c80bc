"""Instances: the live instances of one server, created, found, used one call at a time, reaped and closed."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pydantic import JsonValue

from synthesis.documents.answer_form import UnfitAnswer, read_answer, taken, tool_name
from synthesis.documents.evidence import Utterance
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.documents.trajectory import FinalAnswer
from synthesis.documents.verdict import Verdict
from synthesis.errors import CapacityExhausted, UnknownName, WorldwrightError
from synthesis.serving.episode_log import EpisodeLog, ask_for_calls
from synthesis.serving.fair_slots import FairSlots, Flow
from synthesis.serving.faults import RequestRefused
from synthesis.serving.metrics import Metrics
from synthesis.serving.settings import ServeSettings
from synthesis.verification.rewards import RewardTable
from synthesis.verification.verifier import verify
from synthesis.worlds.sandbox.large_frames import LARGE_FRAMES
from synthesis.worlds.sandbox.worker_process import WATCH
from synthesis.worlds.world import Instance, World

T = TypeVar("T")
_OPENINGS = 8
"""Instances that start at once. A template forks one after the other: more would only queue there, in no
fair order."""
_OPEN_PATIENCE_SECONDS = 10.0
"""How long a request for an instance waits while others of the same client start theirs."""
_ENDING_THREADS = 2
"""Ending takes a moment each: what is ended was killed before."""


class Live:
    """One instance with what the server knows of it."""

    def __init__(self, id: str, world: World, instance: Instance, task: Task | None, client: str) -> None:
        self.id, self.world, self.instance, self.task = id, world, instance, task
        self.flow = Flow(client, world.environment.name)
        self.calls = 0
        verifiers = world.environment.verifiers.verifiers
        self.log = EpisodeLog(keeps_calls=ask_for_calls(verifier.source for verifier in verifiers))
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
        self._submit_names = {name: self._submit_name(world) for name, world in worlds.items()}
        self._live: dict[str, Live] = {}
        self._opening = 0
        self._slots = FairSlots(settings.threads)
        self._openings = FairSlots(_OPENINGS)
        self._threads = ThreadPoolExecutor(settings.threads, thread_name_prefix="world")
        self._endings = ThreadPoolExecutor(_ENDING_THREADS, thread_name_prefix="ending")
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

    async def open(
        self, environment: str | None, task_id: str | None, seed: int, *, client: str = ""
    ) -> Live:
        """A fresh instance.

        Args:
            environment: Of which one; None names the only one.
            task_id: The task it is for.
            seed: Seed of its random numbers.
            client: Who asks, see `synthesis.serving.clients`.

        Raises:
            UnknownName: No such environment or task.
            CapacityExhausted: The server is full.
            RequestRefused: The server is stopping.
        """
        world = self.world(environment)
        task = find_task(world, task_id) if task_id is not None else None
        if self.draining:
            raise RequestRefused(503, "stopping", "The server is stopping; use another one.", retry_after=5)
        if len(self) >= self.settings.max_instances:
            self.metrics.count("worldwright_instances_refused_total")
            raise CapacityExhausted(
                f"All {self.settings.max_instances} instances are in use; DELETE one, or try again later."
            )
        self._opening += 1
        try:
            flow = Flow(client, world.environment.name)
            async with self._openings.slot(flow, patience=_OPEN_PATIENCE_SECONDS):
                instance = await self._in_thread(flow, lambda: world.instance(seed=seed))
        finally:
            self._opening -= 1
        live = Live(f"{self.prefix}{secrets.token_urlsafe(16)}", world, instance, task, client)
        self._live[live.id] = live
        self.metrics.count("worldwright_instances_opened_total")
        return live

    def find(self, id: str) -> Live:
        """The instance of that id, marked as used now.

        Raises:
            RequestRefused: There is none (404): never made, deleted, or idle for too long.
        """
        live = self._live.get(id)
        if live is None:
            raise RequestRefused(
                404, "unknown_instance", f"There is no instance {id!r}: POST /instances creates one."
            )
        live.used = time.monotonic()
        return live

    def submit_name(self, world: World) -> str | None:
        """What the tool is called that takes an answer in fields; None where answers are text alone."""
        return self._submit_names[world.environment.name]

    def _submit_name(self, world: World) -> str | None:
        if self.settings.answer_form == "text":
            return None
        return tool_name({tool.name for tool in world.tools})

    def submit(self, live: Live, arguments: dict[str, JsonValue]) -> ToolResult:
        """Take the final answer in fields; `verify` measures it."""
        if live.log.submitted is not None:
            return ToolResult(status="refused", message="The answer was submitted already.")
        try:
            live.log.submitted = read_answer(arguments)
        except UnfitAnswer as error:
            return ToolResult(status="invalid_arguments", message=str(error))
        return ToolResult(status="ok", value={"status": "submitted"})

    def _ended(self, live: Live) -> str:
        """Why no further call is made; empty while calls are."""
        if live.log.submitted is not None:
            return "The answer was submitted: the task is over."
        if live.task is not None and live.log.calls >= live.task.step_limit:
            return f"All {live.task.step_limit} tool calls of this task are used: give the final answer."
        return ""

    async def call(self, live: Live, name: str, arguments: dict[str, JsonValue]) -> ToolResult:
        """One tool call, after those that came before it.

        The tool that takes the answer is answered here. Once it was called, or as many calls were made as the
        instance's task allows, further calls are refused until the instance is reset.

        Raises:
            RequestRefused: Too many calls wait for this instance.
            WorldError: The world cannot go on.
        """
        started = time.perf_counter()
        try:
            async with self._turn(live):
                if name == self.submit_name(live.world):
                    return self.submit(live, arguments)
                if ended := self._ended(live):
                    return ToolResult(status="refused", message=ended)
                result = await self._in_thread(live.flow, lambda: live.instance.call(name, arguments))
                live.log.note(ToolCall.model_construct(name=name, arguments=arguments), result)
        except WorldwrightError:
            self.metrics.call("failed", time.perf_counter() - started)
            raise
        live.calls += 1
        self.metrics.call(result.status, time.perf_counter() - started)
        return result

    async def reset(self, live: Live, seed: int | None, task_id: str | None = None) -> None:
        """Back to the start of the world, with another random seed and for another task if they are named.

        Raises:
            UnknownName: The environment has no such task.
        """
        task = find_task(live.world, task_id) if task_id is not None else live.task
        async with self._turn(live):
            await self._in_thread(live.flow, lambda: live.instance.reset(seed))
            live.log.clear()
            live.task = task
        self.metrics.count("worldwright_resets_total")

    async def state_hash(self, live: Live) -> str:
        """Hash of the whole state."""
        async with self._turn(live):
            return await self._in_thread(live.flow, live.instance.state_hash)

    async def verify(
        self,
        live: Live,
        task_id: str | None,
        answer: FinalAnswer | None,
        conversation: Sequence[Utterance] = (),
    ) -> Verdict:
        """What the episode on this instance is worth for a task; the instance goes on unchanged.

        Args:
            live: The instance.
            task_id: Its task, where none was named when it was made.
            answer: The final answer; None for the one that was submitted.
            conversation: What was said, for verifiers that ask for it.

        Raises:
            RequestRefused: No task was named, here or when the instance was made.
            UnknownName: No such task.
        """
        task = find_task(live.world, task_id) if task_id is not None else live.task
        if task is None:
            raise RequestRefused(422, "invalid_input", 'Name the task: {"task": "<id>", "answer": "..."}.')

        given = answer or live.log.submitted or FinalAnswer()
        measured = taken(given, self.settings.answer_form)
        rewards = RewardTable(put_back_is_damage=self.settings.put_back_is_damage)

        def measure() -> Verdict:
            with LARGE_FRAMES.reserved():
                return verify(
                    live.world,
                    task.id,
                    live.world.base,
                    live.instance.snapshot(),
                    measured,
                    rewards=rewards,
                    evidence=live.log.evidence(conversation),
                )

        async with self._turn(live):
            verdict = await self._in_thread(live.flow, measure)
        self.metrics.count("worldwright_verdicts_total", "label", verdict.label)
        return verdict

    async def close(self, live: Live, *, reason: str = "deleted") -> None:
        """End an instance after the call it is at, and free its slot; one that does not end in time is
        killed."""
        if self._live.pop(live.id, None) is None:
            return
        live.closed = True
        self.metrics.count("worldwright_instances_closed_total", "reason", reason)
        limits = live.world.limits
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limits.call_seconds + limits.grace_seconds), live.turn:
                pass
        await self._end(live)

    async def _end(self, live: Live) -> None:
        """Kill what still runs of it. Never waits for generated code, so it needs no slot."""
        live.instance.abandon()
        await asyncio.get_running_loop().run_in_executor(self._endings, live.instance.close)

    async def reap_for_ever(self) -> None:
        """Close instances nobody uses, until cancelled."""
        pause = min(5.0, self.settings.idle_seconds / 4)
        while True:
            await asyncio.sleep(pause)
            oldest = time.monotonic() - self.settings.idle_seconds
            for live in [live for live in self._live.values() if live.used < oldest and not live.waiting]:
                with contextlib.suppress(WorldwrightError):  # it is gone from the table either way
                    await self.close(live, reason="idle")

    async def watch_for_ever(self) -> None:
        """Look for workers that work unasked, until cancelled. Calls do too, but those may stand still for
        them."""
        while True:
            await asyncio.sleep(WATCH.pause)
            WATCH.look()

    async def close_all(self) -> None:
        """Take no more instances, end those there are, and stop the threads."""
        self.draining = True
        instances = list(self._live.values())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.settings.drain_seconds):
                await asyncio.gather(
                    *(self.close(live, reason="stopped") for live in instances), return_exceptions=True
                )
        for live in instances:
            live.instance.abandon()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._endings.shutdown(wait=False, cancel_futures=True)

    @contextlib.asynccontextmanager
    async def _turn(self, live: Live) -> AsyncIterator[None]:
        """Calls on one instance are served one after another, in the order they came."""
        if live.waiting >= self.settings.max_waiting:
            raise RequestRefused(
                503, "busy", f"{live.waiting} calls are already waiting for this instance.", retry_after=1
            )
        live.waiting += 1
        try:
            async with live.turn:
                if live.closed:
                    raise RequestRefused(404, "unknown_instance", f"Instance {live.id!r} was deleted.")
                yield
                live.used = time.monotonic()
        finally:
            live.waiting -= 1

    async def _in_thread(self, flow: Flow, work: Callable[[], T]) -> T:
        async with self._slots.slot(flow):
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
