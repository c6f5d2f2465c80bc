"""verifiers: an environment's tasks as a taskset of the library verifiers, 0.4 or later.

A taskset of one's own is a module that exports this one:

    from synthesis.adapters.verifiers import WorldTaskset
    __all__ = ["WorldTaskset"]

    vf-eval my_taskset --env.taskset.bundle clinic_front_desk.zip --env.agent.harness.id null ...

The calls of a rollout are its state, which the library carries between the server of the tools and the
reward; the reward plays them on an instance of its own. A rollout that could not be measured has an error and
no reward.
"""

from __future__ import annotations

import asyncio
import atexit
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio.to_thread
import orjson
import verifiers.v1 as vf
from mcp.types import CallToolResult, TextContent
from mcp.types import Tool as ListedTool
from pydantic import Field
from verifiers.v1.utils.decorators import reward

from synthesis.bundles.open import open_bundle
from synthesis.documents.briefing import briefing_of
from synthesis.documents.tool_schemas import plain_schema
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.documents.verdict import Scored
from synthesis.episode import Episode
from synthesis.errors import InvalidInput, UnknownName, WorldwrightError
from synthesis.worlds.world import World

_MOST_LIVE = 256
"""Episodes that a server of tools keeps open; a closed one is played again at its next call."""
_USED_UP = "All tool calls of this task are used: give the final answer."


class RolloutUnscored(WorldwrightError):
    """A rollout could not be measured: nothing is known of the agent."""


class WorldToolsConfig(vf.SharedToolsetConfig):
    """Where the server of the tools runs; the bundle is the taskset's."""

    bundle: Path = Path()


class WorldConfig(vf.TasksetConfig):
    """The options of a taskset."""

    bundle: Path | None = None
    """A native bundle, folder or archive; the library makes configurations before it knows it."""
    split: str | None = None
    """Only the tasks of this split."""
    seed: int = 0
    """Of the worlds' random numbers."""
    tools: WorldToolsConfig = WorldToolsConfig()


class WorldTaskData(vf.TaskData):
    """A task as traces hold it."""

    bundle: str
    seed: int


class WorldState(vf.State):
    """What happened in a rollout."""

    rollout: str = ""
    task: str = ""
    seed: int = 0
    calls: list[dict[str, Any]] = Field(default_factory=list)
    """Every call in order, whatever came of it."""


class WorldTask(vf.Task[WorldTaskData, WorldState]):
    """One task: its reward is the verdict's."""

    async def setup(self, trace: Any, runtime: Any) -> None:  # noqa: ARG002 the library's signature
        """Begin the rollout's state."""
        state = trace.state
        state.rollout, state.task, state.seed = uuid4().hex, self.data.id, self.data.seed

    @reward(weight=1.0)
    async def verdict(self, trace: Any) -> float:
        """The verdict on the calls made and the last reply.

        Raises:
            RolloutUnscored: It could not be measured.
        """
        calls = [ToolCall.model_validate(call) for call in trace.state.calls]
        return await anyio.to_thread.run_sync(self._score, calls, trace.last_reply)

    async def validate(self, runtime: Any) -> bool:  # noqa: ARG002 the library's signature
        """Whether the reference solution earns the whole reward."""
        task = _world(self.data.bundle).environment.task(str(self.data.id))
        assert task is not None
        earned = await anyio.to_thread.run_sync(self._score, task.reference_solution, task.reference_answer)
        return earned >= 1.0

    def _score(self, calls: Sequence[ToolCall], answer: str) -> float:
        with _played(_world(self.data.bundle), str(self.data.id), self.data.seed, calls) as episode:
            if not episode.ended:
                episode.step(FinalAnswer(text=answer))
            verdict = episode.verdict
        if not isinstance(verdict, Scored):
            raise RolloutUnscored(verdict.error if verdict else "The episode did not end.")
        return verdict.reward


@dataclass
class _Live:
    """A rollout's episode on the server of the tools; None where it was closed to make room."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    episode: Episode | None = None
    calls: int = 0
    """Calls it has seen."""


class WorldTools(vf.Toolset[WorldToolsConfig, WorldState]):
    """The tools of the world for every rollout of a worker; each has an episode of its own."""

    TOOL_PREFIX = None

    async def setup(self) -> None:
        """Compile the world."""
        self._compiled = await anyio.to_thread.run_sync(_world, str(self.config.bundle))
        self._live: OrderedDict[str, _Live] = OrderedDict()

    def register(self, mcp: Any) -> None:
        """Answer with the world's own schemas instead of functions' signatures."""
        self._with_calls = self._with_state(self._play)
        mcp.list_tools = self._list
        mcp.call_tool = self._with_state(self._queue)

    async def _list(self) -> list[ListedTool]:
        return [
            ListedTool(
                name=tool.name, description=tool.description, input_schema=plain_schema(tool.input_schema)
            )
            for tool in self._compiled.tools
        ]

    async def _queue(self, name: str, arguments: dict[str, Any], context: Any = None) -> CallToolResult:  # noqa: ARG002
        """One call of a rollout after the other: of two that wrote its state at once, one would be lost."""
        live = self._live.setdefault(self.state.rollout, _Live())
        self._live.move_to_end(self.state.rollout)
        async with live.lock:
            result: CallToolResult = await self._with_calls(name, arguments, live)
        self._make_room()
        return result

    async def _play(self, name: str, arguments: dict[str, Any], live: _Live) -> CallToolResult:
        call = ToolCall(name=name, arguments=arguments or {})
        text, ok = await anyio.to_thread.run_sync(self._step, self.state, call, live)
        self.state.calls = [*self.state.calls, call.model_dump(mode="json")]
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=not ok)

    def _step(self, state: WorldState, call: ToolCall, live: _Live) -> tuple[str, bool]:
        if live.episode is None or live.calls != len(state.calls):
            earlier = [ToolCall.model_validate(each) for each in state.calls]
            live.episode = _played(self._compiled, state.task, state.seed, earlier)
        live.calls = len(state.calls) + 1
        if live.episode.ended:
            return _USED_UP, False
        _, _, _, _, info = live.episode.step(call)
        result = info.get("result")
        if result is None:
            return _USED_UP, False
        return orjson.dumps(result.observation()).decode(), result.ok

    def _make_room(self) -> None:
        idle = [key for key, live in self._live.items() if not live.lock.locked()]
        for key in idle[: max(0, len(self._live) - _MOST_LIVE)]:
            episode = self._live.pop(key).episode
            if episode is not None:
                episode.close()


class WorldTaskset(vf.Taskset[WorldTask, WorldConfig]):
    """The tasks of a bundle."""

    @classmethod
    def toolsets(cls, config: WorldConfig) -> list[vf.Toolset[Any, Any]]:
        """One server of the tools for every rollout of a worker."""
        bundle = config.bundle or config.tools.bundle
        return [WorldTools(config.tools.model_copy(update={"bundle": bundle.resolve()}))]

    def load(self) -> Iterator[WorldTask]:
        """The tasks.

        Raises:
            InvalidInput: No bundle is named, or it cannot be opened.
            UnknownName: No task has this split.
        """
        if self.config.bundle is None:
            raise InvalidInput("The taskset has no bundle: name one with --env.taskset.bundle PATH.")
        bundle, split = self.config.bundle.resolve(), self.config.split
        environment = open_bundle(bundle).environment
        tasks = [task for task in environment.tasks.tasks if split is None or task.split == split]
        if not tasks:
            known = sorted({task.split for task in environment.tasks.tasks if task.split})
            raise UnknownName("split", str(split), known)
        for task in tasks:
            data = WorldTaskData(
                id=task.id,
                name=task.id,
                prompt=task.instruction,
                system_prompt=briefing_of(environment, task, "text").text(),
                bundle=str(bundle),
                seed=self.config.seed,
            )
            yield WorldTask(data, self.config.task)


def _played(world: World, task: str, seed: int, calls: Sequence[ToolCall]) -> Episode:
    """An episode in which these calls were made."""
    episode = Episode(world, task)
    episode.reset(seed)
    for call in calls:
        if not episode.ended:
            episode.step(call)
    return episode


@cache
def _world(bundle: str) -> World:
    """The compiled world of a bundle, one in each process."""
    world = World(open_bundle(Path(bundle)).environment)
    atexit.register(world.close)
    return world


if __name__ == "__main__":
    WorldTools.run()
