"""JSON face: make, use, measure and end instances with plain JSON; for trainers, never for agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, Field, JsonValue, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synthesis.documents.document import Document
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall
from synthesis.serving.faults import Refused, answer
from synthesis.serving.instances import Instances, Live
from synthesis.serving.settings import ServeSettings
from synthesis.worlds.world import World

M = TypeVar("M", bound=BaseModel)


class OpenRequest(Document):
    """What POST /instances takes."""

    environment: str | None = None
    task: str | None = None
    seed: int = Field(default=0, ge=0, lt=2**63)


class ResetRequest(Document):
    """What POST /i/{id}/reset takes."""

    seed: int | None = Field(default=None, ge=0, lt=2**63)


class VerifyRequest(Document):
    """What POST /i/{id}/verify takes."""

    task: str | None = None
    answer: str = Field(default="", max_length=100_000)


class JsonFace:
    """The handlers of the plain JSON API."""

    def __init__(self, instances: Instances, settings: ServeSettings) -> None:
        self.instances, self.settings = instances, settings

    def routes(self) -> list[Route]:
        """The routes, most used first."""
        return [
            Route("/i/{instance}/call", self.call, methods=["POST"]),
            Route("/i/{instance}/reset", self.reset, methods=["POST"]),
            Route("/i/{instance}/verify", self.verify, methods=["POST"]),
            Route("/i/{instance}", self.show, methods=["GET"]),
            Route("/i/{instance}", self.close, methods=["DELETE"]),
            Route("/instances", self.open, methods=["POST"]),
            Route("/environments", self.environments, methods=["GET"]),
            Route("/tools", self.tools, methods=["GET"]),
            Route("/tasks", self.tasks, methods=["GET"]),
        ]

    async def open(self, request: Request) -> Response:
        """Make an instance, for one task if it is named; answers its addresses and what an agent is told."""
        asked = await body_as(OpenRequest, request)
        live = await self.instances.open(asked.environment, asked.task, asked.seed)
        return answer(self._shown(live, request) | {"seed": asked.seed}, 201)

    async def call(self, request: Request) -> Response:
        """Call one tool; refusals are results (status 200) just as answers are."""
        live = self._find(request)
        asked = await body_as(ToolCall, request)
        result = await self.instances.call(live, asked.name, asked.arguments)
        leave_out = set() if request.query_params.get("changes") == "1" else {"changes"}
        return answer(result.model_dump(mode="json", exclude=leave_out))

    async def reset(self, request: Request) -> Response:
        """Back to the start."""
        live = self._find(request)
        asked = await body_as(ResetRequest, request)
        await self.instances.reset(live, asked.seed)
        return answer({"id": live.id, "seed": live.instance.seed})

    async def verify(self, request: Request) -> Response:
        """Measure the episode: a verdict, scored or unscored."""
        live = self._find(request)
        asked = await body_as(VerifyRequest, request)
        verdict = await self.instances.verify(live, asked.task, asked.answer)
        return answer(
            verdict.model_dump(mode="json")
            | {"label": verdict.label, "reward": verdict.reward, "trainable": verdict.trainable}
        )

    async def show(self, request: Request) -> Response:
        """What an instance is at."""
        live = self._find(request)
        return answer(
            self._shown(live, request)
            | {
                "seed": live.instance.seed,
                "calls": live.calls,
                "state_hash": await self.instances.state_hash(live),
            }
        )

    async def close(self, request: Request) -> Response:
        """End an instance and free its slot and memory."""
        await self.instances.close(self._find(request))
        return Response(status_code=204)

    async def environments(self, _: Request) -> Response:
        """What this server serves."""
        return answer(
            [
                {
                    "name": name,
                    "title": world.environment.scenario.title,
                    "fingerprint": world.environment.fingerprint,
                    "counts": world.environment.counts,
                }
                for name, world in self.instances.worlds.items()
            ]
        )

    async def tools(self, request: Request) -> Response:
        """The tools of an environment in MCP's shape."""
        world = self._world(request)
        return answer([tool.model_dump(mode="json", by_alias=True) for tool in world.tools])

    async def tasks(self, request: Request) -> Response:
        """The tasks of an environment: what is asked, never how it is done or measured."""
        return answer([task_told(task) for task in self._world(request).environment.tasks.tasks])

    def _find(self, request: Request) -> Live:
        return self.instances.find(request.path_params["instance"])

    def _world(self, request: Request) -> World:
        return self.instances.world(request.query_params.get("environment"))

    def _shown(self, live: Live, request: Request) -> dict[str, Any]:
        base = self.settings.public_url or str(request.base_url).rstrip("/")
        environment = live.world.environment
        return {
            "id": live.id,
            "environment": environment.name,
            "fingerprint": environment.fingerprint,
            "url": f"{base}/i/{live.id}",
            "mcp_url": f"{base}/i/{live.id}/mcp",
            "task": task_told(live.task) if live.task else None,
            "policy": environment.policy.text if environment.policy else None,
        }


def task_told(task: Task) -> dict[str, JsonValue]:
    """What a client may know of a task: no reference solution, no facts of the answer."""
    shown: dict[str, JsonValue] = task.model_dump(
        mode="json", include={"id", "instruction", "kind", "difficulty", "split"}
    )
    return shown


async def body_as(type_: type[M], request: Request) -> M:
    """The request's body as one of our documents; an empty body is an empty object.

    Raises:
        Refused: It is not JSON (400), or not what is asked for (422).
    """
    content = await request.body()
    try:
        value = orjson.loads(content or b"{}")
    except orjson.JSONDecodeError as error:
        raise Refused(400, "not_json", f"The body is not JSON: {error}.") from error
    try:
        return type_.model_validate(value)
    except ValidationError as error:
        raise Refused(422, "invalid_input", misfit(error, type_.model_fields)) from error


def misfit(error: ValidationError, fields: Mapping[str, Any]) -> str:
    """The first thing wrong with a body, and which fields it may have."""
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(step) for step in problem["loc"])
    return f"{place or 'The body'}: {problem['msg']}. Fields: {', '.join(fields)}."
