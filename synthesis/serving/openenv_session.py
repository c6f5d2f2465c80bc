"""OpenEnv session: one trainer's episodes in OpenEnv's terms, whatever carries its messages.

A step lists the tools or calls one. Three calls are the trainer's and never listed: `verify` measures,
`done` ends the episode, `__list_scenarios__` says what is served. A final answer comes by the tool that
takes it, which is listed, or with `done`. After a reset that names a `scenario`, observations have the fields
of AWM's environment for OpenEnv, and `verify` and `done` behave as they do there.

A task the agent failed is an observation with a reward. What failed here (a lost worker, a verifier that
raised, a full server) is raised, and becomes an error message without any reward.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from pydantic import JsonValue

from synthesis.documents.briefing import briefing_of
from synthesis.documents.tools import ToolResult
from synthesis.documents.trajectory import FinalAnswer
from synthesis.documents.verdict import Label, Scored
from synthesis.errors import WorldwrightError
from synthesis.serving.faults import RequestRefused, refusal_of
from synthesis.serving.instances import Instances, Live
from synthesis.serving.json_endpoint import final_answer
from synthesis.serving.listed_tools import listed_tools
from synthesis.serving.openenv_tasks import ResetData, scenarios, task_of, world_of

AWM_REWARDS = {"complete": 1.0, "incomplete": 0.1, "format_error": -1.0}
"""The rewards of AWM's environment where a reset names none; every other type is worth 0."""
_AWM_TYPES: dict[Label, str] = {
    "completed": "complete",
    "partially_completed": "incomplete",
    "agent_error": "agent_error",
    "environment_error": "server_error",
}
_ERROR_TYPES = {
    "invalid_arguments": "invalid_args",
    "unknown_tool": "tool_not_found",
    "error": "execution_error",
}
"""OpenEnv's types of tool errors; a refusal is a result, as the tool itself gave it."""
_FORMAT_ERRORS = frozenset({"invalid_args", "tool_not_found"})

Payload = dict[str, Any]
"""``{"observation", "reward", "done", "metadata"}``."""


class OpenEnvSession:
    """One session; its instance is made by the first reset.

    Args:
        id: Of the session.
        instances: Where its instance lives.
        client: Who asks.
    """

    def __init__(self, id: str, instances: Instances, client: str) -> None:
        self.id, self.instances, self.client = id, instances, client
        self.turn = asyncio.Lock()
        self.used = time.monotonic()
        self.attached = False
        self._live: Live | None = None
        self._episode_id: str | None = None
        self._steps = 0
        self._done = False
        self._awm = False
        self._rewards = AWM_REWARDS

    async def reset(self, asked: ResetData) -> Payload:
        """Begin an episode.

        Raises:
            WorldwrightError: There is no such task, or no room.
        """
        self._awm = asked.scenario is not None
        self._rewards = asked.reward_config or AWM_REWARDS
        try:
            live = await self._ready(asked)
        except WorldwrightError as error:
            if self._awm and not is_ours(error):
                return payload({"reward_type": "reset_error", "error": str(error)}, None)
            raise
        self._episode_id = asked.episode_id or live.id
        self._steps, self._done = 0, False
        assert live.task is not None
        environment = live.world.environment
        if self._awm:
            number = environment.tasks.tasks.index(live.task)
            return payload(
                {
                    "reward_type": "reset_ok",
                    **self._awm_task(live, number),
                    "has_verifier": {"sql": False, "code": True},
                    "num_tools": len(listed_tools(self.instances, live.world)),
                },
                None,
            )
        briefing = briefing_of(environment, live.task, self.instances.settings.answer_form)
        fields = briefing.model_dump(mode="json")
        named = {"task_id": live.task.id, "instruction": live.task.instruction}
        return payload({"environment": environment.name, **named, **fields}, None, metadata=named)

    async def step(self, action: dict[str, Any]) -> Payload:
        """Take one action.

        Raises:
            RequestRefused: It is no action (422), or no episode was begun (409).
            WorldwrightError: Something failed here.
        """
        match action:
            case {"type": "list_tools"}:
                return payload({"tools": self.tools()}, None)
            case {"type": "call_tool", "tool_name": str(name), **rest} if name:
                arguments = rest.get("arguments", {})
                if isinstance(arguments, dict):
                    return await self._call(name, arguments)
        raise RequestRefused(
            422,
            "invalid_input",
            'An action is {"type": "list_tools"} or {"type": "call_tool", "tool_name": "...", '
            '"arguments": {...}}.',
        )

    def tools(self) -> list[dict[str, JsonValue]]:
        """The tools of its environment, in OpenEnv's shape."""
        world = self._live.world if self._live is not None else self.instances.world(None)
        return [
            {"name": name, "description": description, "input_schema": schema}
            for name, description, schema in listed_tools(self.instances, world)
        ]

    def state(self) -> dict[str, JsonValue]:
        """Where the episode is."""
        live = self._live
        return {
            "episode_id": self._episode_id,
            "step_count": self._steps,
            "environment": live.world.environment.name if live else None,
            "task_id": live.task.id if live and live.task else None,
            "done": self._done,
        }

    async def result(self, name: str, arguments: dict[str, JsonValue]) -> ToolResult:
        """One tool call and nothing around it.

        Raises:
            RequestRefused: No episode was begun (409).
            WorldwrightError: Something failed here.
        """
        self._steps += 1
        return await self.instances.call(self._begun(), name, arguments)

    async def close(self) -> None:
        """End its instance. Twice does no harm."""
        live, self._live = self._live, None
        if live is not None:
            await self.instances.close(live)

    async def _ready(self, asked: ResetData) -> Live:
        """An instance at its start, for the task that is asked for."""
        live = self._live if self._live is not None and not self._live.closed else None
        world = world_of(self.instances, asked, live.world if live else None)
        task = task_of(world.environment, asked, live.task if live and live.world is world else None)
        if live is not None and live.world is world:
            await self.instances.reset(live, asked.seed, task.id)
            return live
        await self.close()
        name = world.environment.name
        self._live = await self.instances.open(name, task.id, asked.seed or 0, client=self.client)
        return self._live

    def _begun(self) -> Live:
        if self._live is None:
            raise RequestRefused(409, "not_begun", "No episode was begun: send a reset first.")
        return self.instances.find(self._live.id)

    async def _call(self, name: str, arguments: dict[str, JsonValue]) -> Payload:
        if name == "__list_scenarios__":
            known = scenarios(self.instances)
            return payload({"reward_type": "tool_call_ok", "scenarios": known, "total": len(known)}, None)
        if self._done:
            return self._after_the_end(name)
        live = self._begun()
        if name in ("verify", "done"):
            self._steps += 1
            return await (self._verify if name == "verify" else self._finish)(live, arguments)
        result = await self.result(name, arguments)
        if self._awm:
            return self._awm_called(name, result)
        if result.ok and name == self.instances.submit_name(live.world):
            return await self._finish(live, {}, name=name)
        return payload(_called(name, result), 0.0, metadata={"status": result.status})

    async def _verify(self, live: Live, arguments: dict[str, JsonValue], *, name: str = "verify") -> Payload:
        """Measure the episode as it is; it goes on."""
        answer = arguments.get("final_answer")
        if not isinstance(answer, str | dict | None):
            raise RequestRefused(422, "invalid_input", "final_answer: text, or an object of fields.")
        given = None if answer is None else final_answer(answer)
        verdict = await self.instances.verify(live, None, given or live.log.submitted or FinalAnswer())
        if not isinstance(verdict, Scored):
            raise RequestRefused(500, "unscored", f"The episode could not be measured: {verdict.error}")
        shown = {"label": verdict.label, "share": verdict.share, "explanation": verdict.explanation}
        metadata = {**shown, "trainable": verdict.trainable}
        if not self._awm:
            return payload(
                {"tool_name": name, "result": shown, "error": None}, verdict.reward, metadata=metadata
            )
        kind = _AWM_TYPES[verdict.label]
        assert live.task is not None
        fields = self._awm_task(live, live.world.environment.tasks.tasks.index(live.task))
        result = {"result": "complete" if kind == "complete" else "others", **shown}
        observed = {"reward_type": kind, "verify_result": result, **fields, "steps_taken": self._steps}
        return payload(observed, self._awm_reward(kind), metadata=metadata)

    async def _finish(self, live: Live, arguments: dict[str, JsonValue], *, name: str = "done") -> Payload:
        """End the episode. In OpenEnv's terms the reward comes with the last step; AWM's `done` has none."""
        if self._awm:
            assert live.task is not None
            fields = self._awm_task(live, live.world.environment.tasks.tasks.index(live.task))
            observed = {"reward_type": "episode_done", **fields, "steps_taken": self._steps}
            self._done = True
            return payload(observed, 0.0, done=True)
        measured = await self._verify(live, arguments, name=name)
        self._done = True
        return {**measured, "done": True}

    def _after_the_end(self, name: str) -> Payload:
        text = "The episode has ended: send a reset to begin another."
        if self._awm:
            return payload({"reward_type": "episode_already_done", "error": text}, None, done=True)
        error = {"error_type": "execution_error", "message": text}
        return payload({"tool_name": name, "result": None, "error": error}, None, done=True)

    def _awm_called(self, name: str, result: ToolResult) -> Payload:
        if result.ok:
            observed = {"reward_type": "tool_call_ok", "tool_name": name, "tool_result": result.value}
            return payload(observed, self._awm_reward("tool_call_ok"))
        kind = _ERROR_TYPES.get(result.status, "tool_call_ok")
        kind = "server_error" if kind == "execution_error" else kind
        observed = {"reward_type": kind, "tool_name": name, "error": result.message}
        return payload(observed, self._awm_reward(kind))

    def _awm_reward(self, kind: str) -> float:
        return self._rewards.get("format_error" if kind in _FORMAT_ERRORS else kind, 0.0)

    @staticmethod
    def _awm_task(live: Live, number: int) -> dict[str, JsonValue]:
        assert live.task is not None
        name = live.world.environment.name
        return {"scenario": name, "task": live.task.instruction, "task_idx": number}


def payload(
    observation: dict[str, Any],
    reward: float | None,
    *,
    done: bool = False,
    metadata: dict[str, Any] | None = None,
) -> Payload:
    """What a reset or a step answers.

    Args:
        observation: What is seen.
        reward: Of this step; None where there is none yet.
        done: Whether the episode has ended.
        metadata: Also put into the observation, where clients before 0.10 look for it.
    """
    extra = metadata or {}
    return {
        "observation": {**observation, "metadata": extra},
        "reward": reward,
        "done": done,
        "metadata": extra,
    }


def is_ours(error: WorldwrightError) -> bool:
    """Whether something failed here, as against a request that asks for what there is not."""
    return refusal_of(error).status >= 500


def _called(name: str, result: ToolResult) -> dict[str, Any]:
    kind = _ERROR_TYPES.get(result.status)
    error = {"error_type": kind, "message": result.message} if kind else None
    return {"tool_name": name, "result": None if kind else result.observation(), "error": error}
