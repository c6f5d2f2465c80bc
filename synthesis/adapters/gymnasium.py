"""Gymnasium: an environment's tasks as `gymnasium.Env`, registered and vectorised.

    import synthesis.adapters.gymnasium            # registers Worldwright-v0
    env = gymnasium.make("Worldwright-v0", bundle="clinic_front_desk.zip")
    envs = gymnasium.make_vec("Worldwright-v0", num_envs=4, bundle="clinic_front_desk.zip")

Observations and actions are JSON texts. An action is {"name", "arguments"} for a call, {"answer"} for the
final answer (text, or an object of its fields); anything else violates the format and ends the episode.
Environments of one process share a compiled world. Asynchronous vector environments need
`vector_kwargs={"shared_memory": False}`: texts have no fixed size.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import orjson
from gymnasium.spaces import Space
from pydantic import ValidationError

from synthesis.bundles.open import open_bundle
from synthesis.documents.answer_form import UnfitAnswer, read_answer
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Action, FinalAnswer, Malformed
from synthesis.documents.verdict import Unscored
from synthesis.episode import Episode
from synthesis.errors import UnknownName
from synthesis.worlds.world import World

ID = "Worldwright-v0"

_worlds: dict[str, tuple[World, int]] = {}
"""Compiled worlds of this process by path, and how many environments use each."""


class JsonSpace(Space[str]):
    """Texts that hold JSON."""

    def __init__(self) -> None:
        super().__init__(shape=None, dtype=None)

    def contains(self, x: Any) -> bool:
        """Whether it is JSON."""
        try:
            orjson.loads(x)
        except (orjson.JSONDecodeError, TypeError):
            return False
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:  # noqa: ARG002 the base class's
        """The answer that says nothing; what calls there are is not a matter of the space."""
        return '{"answer":""}'

    @property
    def is_np_flattenable(self) -> bool:
        """Never."""
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JsonSpace)

    def __hash__(self) -> int:
        return hash(JsonSpace)


class WorldEnv(gymnasium.Env[str, str]):
    """Episodes on one environment's tasks.

    Args:
        bundle: A native bundle, folder or archive.
        task: The task of every episode; None draws one at each reset, unless its options name one.
        split: Draw from the tasks of this split alone.
        render_mode: None; there is nothing to see.

    Raises:
        InvalidBundle: The bundle cannot be opened.
        UnknownName: It has no such task or split.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 the base class declares it so

    def __init__(
        self,
        bundle: str | Path,
        task: str | None = None,
        split: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.observation_space = JsonSpace()
        self.action_space = JsonSpace()
        self.render_mode = render_mode
        self._path = str(Path(bundle).resolve())
        self._world = _acquire(self._path)
        self._episode: Episode | None = None
        self._closed = False
        try:
            self._tasks = _choice(self._world, task, split)
        except UnknownName:
            self.close()
            raise

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: Of the choice of the task and of the world's random numbers.
            options: {"task": id} names the task.
        """
        super().reset(seed=seed)
        named = (options or {}).get("task")
        tasks = self._tasks if named is None else _choice(self._world, str(named), None)
        task = tasks[int(self.np_random.integers(len(tasks)))]
        if self._episode is None or self._episode.task.id != task.id:
            self._end()
            self._episode = Episode(self._world, task.id)
        observation, info = self._episode.reset(seed)
        return _text(observation), {**info, "task": task.id}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take an action. Where an episode could not be measured the reward is not a number, and
        `info["unscored"]` says why: that is never the agent's zero."""
        assert self._episode is not None, "call reset() first"
        observation, reward, terminated, truncated, info = self._episode.step(read_action(action))
        verdict = info.get("verdict")
        if isinstance(verdict, Unscored):
            info = {**info, "unscored": verdict.error}
        return _text(observation), float("nan") if reward is None else reward, terminated, truncated, info

    def close(self) -> None:
        """Give the instance back, and the world with the last environment that uses it."""
        if not self._closed:
            self._closed = True
            self._end()
            _release(self._path)

    def _end(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None


def read_action(text: str) -> Action:
    """The action that a text holds; one that holds none is a violation of the format."""
    try:
        value = orjson.loads(text)
        if isinstance(value, dict) and set(value) == {"answer"}:
            answer = value["answer"]
            return FinalAnswer(text=answer) if isinstance(answer, str) else read_answer(answer)
        return ToolCall.model_validate(value)
    except (orjson.JSONDecodeError, ValidationError, UnfitAnswer, TypeError, AttributeError) as error:
        return Malformed(text=str(text)[:10_000], error=f"An action is a call or an answer as JSON: {error}")


def _choice(world: World, task: str | None, split: str | None) -> tuple[Task, ...]:
    every = world.environment.tasks.tasks
    if task is not None:
        if not any(each.id == task for each in every):
            raise UnknownName("task", task, [each.id for each in every])
        return tuple(each for each in every if each.id == task)
    chosen = tuple(each for each in every if split is None or each.split == split)
    if not chosen:
        raise UnknownName("split", str(split), sorted({each.split for each in every if each.split}))
    return chosen


def _acquire(path: str) -> World:
    world, users = _worlds.get(path) or (World(open_bundle(Path(path)).environment), 0)
    _worlds[path] = (world, users + 1)
    return world


def _release(path: str) -> None:
    world, users = _worlds.pop(path)
    if users > 1:
        _worlds[path] = (world, users - 1)
    else:
        world.close()


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()


gymnasium.register(ID, entry_point=f"{__name__}:{WorldEnv.__name__}", disable_env_checker=True)
