"""TRL: an environment's tasks for GRPO's `environment_factory`.

    GRPOTrainer(model, train_dataset=Dataset.from_list(rows(bundle)), reward_funcs=reward,
                environment_factory=environment_factory(bundle), args=...)

TRL finds the tools as methods of the environment's class, so a class is made for each world: one typed method
per tool, with a docstring in Google's style. `reward` gives the verdict for the last message; a rollout that
could not be measured has None, which TRL leaves out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import orjson

from synthesis.bundles.open import open_bundle
from synthesis.documents.briefing import briefing_of
from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.episode import Episode
from synthesis.errors import InvalidInput
from synthesis.worlds.world import World

_RESERVED = frozenset({"reset", "get_reward"})
_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def rows(bundle: str | Path, *, split: str | None = None) -> list[dict[str, Any]]:
    """The tasks as rows of a dataset: `prompt`, `task_id` and `environment`."""
    environment = open_bundle(Path(bundle)).environment
    return [
        {
            "prompt": [
                {"role": "system", "content": briefing_of(environment, task, "text").text()},
                {"role": "user", "content": task.instruction},
            ],
            "task_id": task.id,
            "environment": environment.name,
        }
        for task in environment.tasks.tasks
        if split is None or task.split == split
    ]


class ToolEnvironment:
    """One rollout's episode; subclasses have the tools of a world as methods."""

    _world: World

    def __init__(self) -> None:
        self._episode: Episode | None = None

    def reset(self, task_id: str, seed: int = 0, **_: Any) -> None:
        """Begin the episode of a row."""
        if self._episode is None or self._episode.task.id != task_id:
            self._close()
            self._episode = Episode(self._world, task_id)
        self._episode.reset(seed)

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool; the model reads whatever comes of it."""
        if self._episode is None or self._episode.ended:
            return '{"error":"The episode has ended."}'
        given = {key: value for key, value in arguments.items() if value is not None}
        _, _, _, _, info = self._episode.step(ToolCall(name=name, arguments=given))
        result = info.get("result")
        if result is None:
            return '{"error":"All tool calls of this task are used: give the final answer."}'
        return orjson.dumps(result.observation()).decode()

    def _score(self, answer: str) -> float | None:
        """End the episode with an answer; its reward, None where it could not be measured."""
        if self._episode is None:
            return None
        if not self._episode.ended:
            self._episode.step(FinalAnswer(text=answer))
        verdict = self._episode.verdict
        return verdict.reward if verdict is not None and verdict.trainable else None

    def _close(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None

    def __del__(self) -> None:
        if hasattr(self, "_episode"):
            self._close()


def environment_factory(bundle: str | Path) -> type[ToolEnvironment]:
    """The class of a bundle's environment, whose world is compiled here and lives as long as the class.

    Raises:
        InvalidBundle: The bundle cannot be opened.
        InvalidInput: A tool has a name that TRL needs.
    """
    world = World(open_bundle(Path(bundle)).environment)
    methods = {tool.name: _method(tool) for tool in world.tools}
    if taken := sorted(_RESERVED & methods.keys()):
        world.close()
        raise InvalidInput(f"{world.environment.name}: TRL needs the name {taken[0]!r} that a tool has.")
    return type(f"{world.environment.name}_environment", (ToolEnvironment,), {"_world": world, **methods})


def reward(
    completions: Sequence[Any], environments: Sequence[ToolEnvironment], **_: Any
) -> list[float | None]:
    """A reward function of TRL's: each rollout's verdict for the text of its last message."""
    return [
        environment._score(_last_text(completion))  # noqa: SLF001 TRL calls every public method a tool
        for completion, environment in zip(completions, environments, strict=True)
    ]


def _last_text(completion: Any) -> str:
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else ""
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _method(tool: Tool) -> Callable[..., str]:
    """A method with the signature and the docstring that chat templates read."""

    def call(self: ToolEnvironment, **arguments: Any) -> str:
        return self._call(tool.name, arguments)

    properties: Any = tool.input_schema.get("properties", {})
    required: Any = tool.input_schema.get("required", [])
    ordered = sorted(properties.items(), key=lambda item: item[0] not in required)
    keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("self", keyword)]
    annotations: dict[str, Any] = {"return": str}
    described = []
    for name, schema in ordered:
        type_ = annotation_of(schema)
        annotations[name] = type_ if name in required else type_ | None
        default = inspect.Parameter.empty if name in required else schema.get("default")
        parameters.append(inspect.Parameter(name, keyword, default=default, annotation=annotations[name]))
        described.append(f"    {name}: {_one_line(schema.get('description')) or name}")
    call.__name__ = call.__qualname__ = tool.name
    call.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    call.__annotations__ = annotations
    arguments = "\n\nArgs:\n" + "\n".join(described) if described else ""
    call.__doc__ = f"{_one_line(tool.description)}{arguments}\n\nReturns:\n    The result as JSON."
    return call


def annotation_of(schema: Mapping[str, Any]) -> Any:
    """The Python type of a parameter's schema."""
    for branch in schema.get("anyOf", ()):
        if branch.get("type") != "null":
            return annotation_of(branch)
    if schema.get("enum"):
        return Literal[tuple(schema["enum"])]
    type_ = schema.get("type", "string")
    if isinstance(type_, list):
        type_ = next((each for each in type_ if each != "null"), "string")
    if type_ == "array":
        return list[annotation_of(schema.get("items", {}))]  # type: ignore[misc]
    return _TYPES.get(type_, str)


def _one_line(text: Any) -> str:
    return " ".join(str(text or "").split())
