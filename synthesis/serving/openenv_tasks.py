"""OpenEnv tasks: what a reset asks for, and which task of which environment that is.

Tasks are named by id, by split and index, or as AWM's environment for OpenEnv names them: a scenario and the
number of a task. Where none is named, the seed picks one, so that a bare reset begins an episode.
"""

from __future__ import annotations

import re

from pydantic import Field, JsonValue

from synthesis.documents.document import Document
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.errors import InvalidInput, UnknownName
from synthesis.serving.instances import Instances
from synthesis.worlds.world import World

_NO_SPLIT = "train"
"""The split of tasks that have none."""


class ResetData(Document):
    """What the `data` of a reset may hold."""

    seed: int | None = Field(default=None, ge=0, lt=2**63)
    episode_id: str | None = Field(default=None, max_length=255)
    environment: str | None = None
    task: str | None = None
    """A task's id, or its instruction."""
    split: str | None = None
    index: int | None = Field(default=None, ge=0)
    """Of a task within its split."""

    scenario: str | None = None
    """An environment; naming it so asks for observations in AWM's shape."""
    task_idx: int | None = Field(default=None, ge=0)
    reward_config: dict[str, float] | None = None
    """Rewards by AWM's reward type."""
    verifier_mode: str | None = None
    llm_base_url: str | None = None
    """A judge's address, as AWM's clients send it: never used, code decides here."""
    llm_api_key: str | None = Field(default=None, repr=False)
    llm_model: str | None = None


def world_of(instances: Instances, asked: ResetData, current: World | None) -> World:
    """The world a reset asks for: the one it names, else the current one, else the only one.

    Raises:
        UnknownName: There is none of that name, or none is named and there are several.
    """
    name = asked.scenario if asked.scenario is not None else asked.environment
    if name is None and current is not None:
        return current
    if name is not None and name not in instances.worlds:
        plain = {normalized(known): known for known in instances.worlds}
        name = plain.get(normalized(name), name)
    return instances.world(name)


def task_of(environment: Environment, asked: ResetData, current: Task | None) -> Task:
    """The task a reset asks for.

    Raises:
        UnknownName: There is no such task or split.
        InvalidInput: There are fewer tasks than the index says.
    """
    tasks = environment.tasks.tasks
    if asked.task_idx is not None:
        return _at(tasks, asked.task_idx, "task_idx")
    if asked.split is not None or asked.index is not None:
        of_split = tasks_of(environment, asked.split) if asked.split is not None else tasks
        return _at(of_split, asked.index or 0, "index")
    if asked.task is not None:
        matching = [task for task in tasks if asked.task in (task.id, task.instruction)]
        if not matching:
            raise UnknownName("task", asked.task, [task.id for task in tasks])
        return matching[0]
    if current is not None and asked.seed is None:
        return current
    return tasks[(asked.seed or 0) % len(tasks)]


def splits_of(environment: Environment) -> list[str]:
    """The splits that have tasks, in the order of the tasks."""
    return list(dict.fromkeys(task.split or _NO_SPLIT for task in environment.tasks.tasks))


def tasks_of(environment: Environment, split: str) -> tuple[Task, ...]:
    """The tasks of a split.

    Raises:
        UnknownName: No task has it.
    """
    if split not in splits_of(environment):
        raise UnknownName("split", split, splits_of(environment))
    return tuple(task for task in environment.tasks.tasks if (task.split or _NO_SPLIT) == split)


def normalized(scenario: str) -> str:
    """A scenario's name as AWM compares it: lower case, one underscore for whatever is no letter or digit."""
    return re.sub(r"_+", "_", re.sub(r"[^a-z0-9_]", "_", scenario.lower())).strip("_")


def scenarios(instances: Instances) -> list[JsonValue]:
    """What AWM's `__list_scenarios__` lists."""
    return [
        {
            "name": name,
            "description": world.environment.scenario.description,
            "num_tasks": len(world.environment.tasks.tasks),
        }
        for name, world in instances.worlds.items()
    ]


def _at(tasks: tuple[Task, ...], index: int, field: str) -> Task:
    if index >= len(tasks):
        raise InvalidInput(f"{field} {index} is out of range: there are {len(tasks)} tasks, from 0.")
    return tasks[index]
