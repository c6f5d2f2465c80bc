"""NeMo Gym face: the HTTP contract of a NeMo Gym resources server, at the root of the address.

    POST /seed_session        a dataset row -> a cookie that names a fresh instance, and what an agent is told
    POST /{tool}              arguments as JSON, with the cookie -> what the model is shown
    POST /verify              the row and the model's response -> the same and `reward`
    POST /aggregate_metrics   mean, lowest and highest reward

Rows come from the `nemo_gym` format (`worldwright export --to nemo_gym`). Every answer sets the cookie again:
the reference agent keeps only the cookies of the latest answer. A measurement that failed is an error, never
a reward.
"""

from __future__ import annotations

import contextlib
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synthesis.documents.answer_form import UnfitAnswer, read_answer
from synthesis.documents.briefing import briefing_of
from synthesis.documents.evidence import Utterance
from synthesis.documents.trajectory import FinalAnswer
from synthesis.errors import InvalidInput
from synthesis.serving.clients import client_of
from synthesis.serving.credentials import Credentials, for_trainers
from synthesis.serving.faults import RequestRefused, answer
from synthesis.serving.instances import Instances, Live
from synthesis.serving.json_endpoint import body_as

COOKIE = "worldwright_instance"
RESERVED = frozenset({"seed_session", "verify", "aggregate_metrics", "instances", "mcp"})


class _OpenDocument(BaseModel):
    """A body that others may add to: rows carry fields of their own."""

    model_config = ConfigDict(extra="allow")


class VerifierMetadata(_OpenDocument):
    """Which task a row is about."""

    task_id: str
    environment: str | None = None
    seed: int = Field(default=0, ge=0, lt=2**63)


class SeedSession(_OpenDocument):
    """A dataset row."""

    verifier_metadata: VerifierMetadata


class Verify(SeedSession):
    """A dataset row with the model's response in OpenAI's Responses shape."""

    response: dict[str, Any]


class AggregateMetrics(_OpenDocument):
    """The answers of POST /verify."""

    verify_responses: list[dict[str, Any]]


class NemoGymEndpoint:
    """The handlers of the contract.

    Args:
        instances: The instances of this process.
        credentials: What the cookie is: a trainer's credential.

    Raises:
        InvalidInput: A tool has a name that the contract or this server needs.
    """

    def __init__(self, instances: Instances, credentials: Credentials) -> None:
        self.instances, self.credentials = instances, credentials
        for world in instances.worlds.values():
            for tool in world.tools:
                if tool.name in RESERVED:
                    raise InvalidInput(
                        f"{world.environment.name}: a tool is called {tool.name!r}, a path of NeMo Gym's."
                    )

    def routes(self) -> list[Route]:
        """The routes; the one of the tools takes every other path at the root, so it comes last."""
        return [
            Route("/seed_session", self.seed_session, methods=["POST"]),
            Route("/verify", self.verify, methods=["POST"]),
            Route("/aggregate_metrics", self.aggregate_metrics, methods=["POST"]),
            Route("/{tool}", self.call, methods=["POST"]),
        ]

    async def seed_session(self, request: Request) -> Response:
        """Make an instance for the row's task."""
        asked = (await body_as(SeedSession, request)).verifier_metadata
        live = await self.instances.open(
            asked.environment, asked.task_id, asked.seed, client=client_of(request, self.instances.settings)
        )
        briefing = briefing_of(live.world.environment, live.task, self.instances.settings.answer_form)
        return self._with_cookie(answer(briefing.model_dump(mode="json")), live)

    async def call(self, request: Request) -> Response:
        """Call a tool; what the agent sees is the whole body, refusals included."""
        live = self._find(request)
        try:
            arguments = orjson.loads(await request.body() or b"{}")
        except orjson.JSONDecodeError as error:
            raise RequestRefused(400, "not_json", f"The body is not JSON: {error}.") from error
        if not isinstance(arguments, dict):
            raise RequestRefused(422, "invalid_input", "The body is the tool's arguments by name: an object.")
        result = await self.instances.call(live, request.path_params["tool"], arguments)
        return self._with_cookie(answer(result.observation()), live)

    async def verify(self, request: Request) -> Response:
        """Measure the episode and end its instance."""
        asked = await body_as(Verify, request)
        live = self._find(request)
        verdict = await self.instances.verify(
            live,
            asked.verifier_metadata.task_id,
            self._final_answer(live, asked.response),
            utterances_of(asked.response),
        )
        if verdict.reward is None:
            raise RequestRefused(
                500, "unscored", f"The episode could not be scored: {verdict.model_dump_json()}"
            )
        await self.instances.close(live, reason="verified")
        details = {
            "reward": verdict.reward,
            "label": verdict.label,
            "verdict": verdict.model_dump(mode="json"),
        }
        return answer(asked.model_dump(mode="json") | details)

    async def aggregate_metrics(self, request: Request) -> Response:
        """Figures over many verifications."""
        asked = await body_as(AggregateMetrics, request)
        rewards = [float(each["reward"]) for each in asked.verify_responses if "reward" in each]
        figures = (
            {
                "mean/reward": sum(rewards) / len(rewards),
                "min/reward": min(rewards),
                "max/reward": max(rewards),
            }
            if rewards
            else {}
        )
        return answer({"group_level_metrics": [], "agent_metrics": figures, "key_metrics": figures})

    def _final_answer(self, live: Live, response: dict[str, Any]) -> FinalAnswer:
        """The answer that was submitted; else the one that the last call of the tool in the response holds;
        else the text of the last message."""
        if live.log.submitted is not None:
            return live.log.submitted
        name = self.instances.submit_name(live.world)
        for item in reversed(_items(response)):
            if name is not None and item.get("type") == "function_call" and item.get("name") == name:
                with contextlib.suppress(UnfitAnswer, ValueError, TypeError):
                    return read_answer(dict(orjson.loads(item.get("arguments") or "{}")))
        return FinalAnswer(text=final_text(response))

    def _find(self, request: Request) -> Live:
        given = request.cookies.get(COOKIE)
        if given is None:
            raise RequestRefused(
                422, "no_session", f"No cookie {COOKIE}: POST /seed_session first and keep its cookie."
            )
        return self.instances.find(for_trainers(self.credentials.read(given)).instance)

    def _with_cookie(self, response: Response, live: Live) -> Response:
        credential = self.credentials.issue(live.id, "trainer")
        response.set_cookie(COOKIE, credential, httponly=True, samesite="strict")
        return response


def final_text(response: dict[str, Any]) -> str:
    """The text of the last message of a response in OpenAI's Responses shape; "" without one."""
    utterances = utterances_of(response)
    return utterances[-1].text if utterances else ""


def utterances_of(response: dict[str, Any]) -> list[Utterance]:
    """What the model said in a response in OpenAI's Responses shape, in order."""
    messages = [
        item
        for item in _items(response)
        if item.get("type", "message") == "message" and item.get("role") == "assistant"
    ]
    return [Utterance(role="assistant", text=_text_of(message.get("content"))) for message in messages]


def _items(response: dict[str, Any]) -> list[dict[str, Any]]:
    output = response.get("output")
    return [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = [part.get("text", "") for part in content if isinstance(part, dict)] if content else []
    return "".join(part for part in parts if isinstance(part, str))
