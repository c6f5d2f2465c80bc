"""JSON face: make, use, measure and end instances with plain JSON; agents may only call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import orjson
from pydantic import BaseModel, Field, JsonValue, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synthesis.documents.answer_form import DESCRIPTION, LONGEST_TEXT, PARAMETERS, UnfitAnswer, read_answer
from synthesis.documents.briefing import briefing_of
from synthesis.documents.document import Document
from synthesis.documents.evidence import Utterance
from synthesis.documents.tasks import Task
from synthesis.documents.tool_schemas import plain_schema, strict_schema
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.serving.clients import client_of
from synthesis.serving.credentials import Credentials, for_trainers
from synthesis.serving.faults import RequestRefused, answer
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

    task: str | None = None
    """Another task of the environment; None keeps the one there is."""
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    """None keeps the one there is."""


class VerifyRequest(Document):
    """What POST /i/{id}/verify takes."""

    task: str | None = None
    answer: Annotated[str, Field(max_length=LONGEST_TEXT)] | dict[str, JsonValue] | None = None
    """Text, or an object with the fields of a final answer; without it, the one that was submitted."""
    conversation: tuple[Utterance, ...] = Field(default=(), max_length=2_000)
    """What the user and the agent said, for verifiers that ask for it."""


class JsonEndpoint:
    """The handlers of the plain JSON API."""

    def __init__(self, instances: Instances, settings: ServeSettings, credentials: Credentials) -> None:
        self.instances, self.settings, self.credentials = instances, settings, credentials

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
        live = await self.instances.open(
            asked.environment, asked.task, asked.seed, client=client_of(request, self.settings)
        )
        return answer(self._shown(live, request) | {"seed": asked.seed}, 201)

    async def call(self, request: Request) -> Response:
        """Call one tool; refusals are results (status 200) just as answers are."""
        grant = self.credentials.grant(request.scope)
        shows_changes = request.query_params.get("changes") == "1"
        live = self.instances.find((for_trainers(grant) if shows_changes else grant).instance)
        asked = await body_as(ToolCall, request)
        result = await self.instances.call(live, asked.name, asked.arguments)
        leave_out = set() if shows_changes else {"changes"}
        return answer(result.model_dump(mode="json", exclude=leave_out))

    async def reset(self, request: Request) -> Response:
        """Back to the start, for the same task or another; answers what POST /instances does."""
        live = self._find(request)
        asked = await body_as(ResetRequest, request)
        await self.instances.reset(live, asked.seed, asked.task)
        return answer(self._shown(live, request) | {"seed": live.instance.seed})

    async def verify(self, request: Request) -> Response:
        """Measure the episode: a verdict, scored or unscored."""
        live = self._find(request)
        asked = await body_as(VerifyRequest, request)
        verdict = await self.instances.verify(
            live, asked.task, final_answer(asked.answer), asked.conversation
        )
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
        """The tools of an environment in MCP's shape; with ?strict=1, their arguments as OpenAI's strict mode
        wants them."""
        written = strict_schema if request.query_params.get("strict") == "1" else plain_schema
        tools = self._world(request).tools
        return answer(
            [
                tool.model_dump(mode="json", by_alias=True) | {"inputSchema": written(tool.input_schema)}
                for tool in tools
            ]
        )

    async def tasks(self, request: Request) -> Response:
        """The tasks of an environment: what is asked, never how it is done or measured."""
        return answer([task_body(task) for task in self._world(request).environment.tasks.tasks])

    def _find(self, request: Request) -> Live:
        return self.instances.find(for_trainers(self.credentials.grant(request.scope)).instance)

    def _world(self, request: Request) -> World:
        return self.instances.world(request.query_params.get("environment"))

    def _shown(self, live: Live, request: Request) -> dict[str, Any]:
        base = self.settings.public_url or str(request.base_url).rstrip("/")
        environment = live.world.environment
        briefing = briefing_of(environment, live.task, self.settings.answer_form)
        fields = briefing.model_dump(mode="json", include={"description", "clock", "actor", "policy"})
        submit = self.instances.submit_name(live.world)
        agent, trainer = (self.credentials.issue(live.id, role) for role in ("agent", "trainer"))
        return {
            # Clients build paths from it, so it opens what it names; the bare id alone opens nothing.
            "id": trainer,
            "instance": live.id,
            "environment": environment.name,
            "fingerprint": environment.fingerprint,
            "url": f"{base}/i/{trainer}",
            "mcp_url": f"{base}/i/{agent}/mcp",
            "credentials": {"agent": agent, "trainer": trainer, "seconds": self.credentials.seconds},
            "task": task_body(live.task) if live.task else None,
            **fields,
            "answer": {
                "form": briefing.answer_form,
                "text": briefing.answer,
                "tool": {"name": submit, "description": DESCRIPTION, "inputSchema": PARAMETERS}
                if submit
                else None,
            },
        }


def task_body(task: Task) -> dict[str, JsonValue]:
    """What a trainer may know of a task: no reference solution, no facts of the answer."""
    shown: dict[str, JsonValue] = task.model_dump(
        mode="json", include={"id", "instruction", "kind", "difficulty", "split"}
    )
    return {**shown, "max_steps": task.step_limit}


def final_answer(given: str | dict[str, JsonValue] | None) -> FinalAnswer | None:
    """The final answer in a request's body; None where it has none.

    Raises:
        Refused: Its fields do not have the right form.
    """
    if given is None or isinstance(given, str):
        return None if given is None else FinalAnswer(text=given)
    try:
        return read_answer(given)
    except UnfitAnswer as error:
        raise RequestRefused(422, "invalid_input", f"answer: {error}") from error


async def body_as(type_: type[M], request: Request) -> M:
    """The request's body as one of our documents; an empty body is an empty object.

    Raises:
        RequestRefused: It is not JSON (400), or not what is asked for (422).
    """
    content = await request.body()
    try:
        value = orjson.loads(content or b"{}")
    except orjson.JSONDecodeError as error:
        raise RequestRefused(400, "not_json", f"The body is not JSON: {error}.") from error
    try:
        return type_.model_validate(value)
    except ValidationError as error:
        raise RequestRefused(422, "invalid_input", invalid_field(error, type_.model_fields)) from error


def invalid_field(error: ValidationError, fields: Mapping[str, Any]) -> str:
    """The first thing wrong with a body, and which fields it may have."""
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(step) for step in problem["loc"])
    return f"{place or 'The body'}: {problem['msg']}. Fields: {', '.join(fields)}."
