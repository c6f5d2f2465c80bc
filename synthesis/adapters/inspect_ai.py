"""Inspect: an environment's tasks as an Inspect task, its tools and its verdicts.

    inspect_ai.eval(worldwright_task("clinic_front_desk.zip"), model="openai/gpt-5")

Each sample has an instance of its own. The score is the verdict's reward; a sample that could not be measured
is an error of the evaluation and has no score.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio.to_thread
import orjson
from inspect_ai import Task
from inspect_ai.agent import AgentPrompt, react
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolError, ToolParams
from inspect_ai.util import store

from synthesis.bundles.open import open_bundle
from synthesis.documents.briefing import briefing_of
from synthesis.documents.tool_schemas import plain_schema
from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.documents.verdict import Scored
from synthesis.episode import Episode
from synthesis.errors import UnknownName, WorldwrightError
from synthesis.worlds.world import World

_EPISODE = "worldwright:episode"


class EpisodeUnscored(WorldwrightError):
    """An episode could not be measured: nothing is known of the agent."""


def worldwright_task(bundle: str | Path, *, split: str | None = None, seed: int = 0) -> Task:
    """The tasks of a bundle for `inspect_ai.eval`.

    Args:
        bundle: A native bundle, folder or archive.
        split: Only the tasks of this split.
        seed: Of the worlds' random numbers.

    Raises:
        InvalidBundle: The bundle cannot be opened.
        UnknownName: No task has this split.
    """
    environment = open_bundle(Path(bundle)).environment
    tasks = [task for task in environment.tasks.tasks if split is None or task.split == split]
    if not tasks:
        known = sorted({task.split for task in environment.tasks.tasks if task.split})
        raise UnknownName("split", str(split), known)
    world = World(environment)
    prompt = AgentPrompt(
        instructions=briefing_of(environment, form="text").text(), assistant_prompt=None, submit_prompt=None
    )
    agent = react(prompt=prompt, tools=[_tool(tool) for tool in world.tools], submit=False)
    return Task(
        name=environment.name,
        version=environment.fingerprint[:12],
        dataset=[
            Sample(id=task.id, input=task.instruction, metadata={"kind": task.kind, "split": task.split})
            for task in tasks
        ],
        setup=_begin(world, seed),
        solver=agent,
        scorer=verdicts(),
        cleanup=_end,
        metadata={"fingerprint": environment.fingerprint},
    )


@solver
def _begin(world: World, seed: int) -> Solver:
    async def begin(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 Inspect's signature
        episode = Episode(world, str(state.sample_id))
        await anyio.to_thread.run_sync(lambda: episode.reset(seed))
        _episodes[state.uuid] = episode
        store().set(_EPISODE, state.uuid)
        return state

    return begin


@scorer(metrics=[accuracy(), stderr()])
def verdicts() -> Scorer:
    """The verdict on the episode, for the text of the agent's last message."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 Inspect's signature
        episode = _episode()
        if not episode.ended:
            answer = FinalAnswer(text=state.output.completion)
            await anyio.to_thread.run_sync(lambda: episode.step(answer))
        verdict = episode.verdict
        if not isinstance(verdict, Scored):
            raise EpisodeUnscored(verdict.error if verdict else "The episode did not end.")
        return Score(
            value=verdict.reward,
            answer=state.output.completion,
            explanation=verdict.explanation or verdict.label,
            metadata={"label": verdict.label, "share": verdict.share, "trainable": verdict.trainable},
        )

    return score


_episodes: dict[str, Episode] = {}
"""Episodes under way by sample: a store holds JSON alone."""


def _episode() -> Episode:
    return _episodes[store().get(_EPISODE)]


async def _end(state: TaskState) -> None:
    episode = _episodes.pop(state.uuid, None)
    if episode is not None:
        await anyio.to_thread.run_sync(episode.close)


def _tool(tool: Tool) -> Any:
    async def call(**arguments: Any) -> str:
        episode = _episode()
        if episode.ended:
            raise ToolError("The episode has ended.")
        taken = ToolCall(name=tool.name, arguments=arguments)
        _, _, _, _, info = await anyio.to_thread.run_sync(lambda: episode.step(taken))
        result = info.get("result")
        if result is None:
            raise ToolError("All tool calls of this task are used: give the final answer.")
        if not result.ok:
            raise ToolError(result.message)
        return _text(result.value)

    parameters = ToolParams.model_validate(plain_schema(tool.input_schema))
    named = ToolDef(call, name=tool.name, description=tool.description, parameters=parameters, parallel=False)
    return named.as_tool()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
