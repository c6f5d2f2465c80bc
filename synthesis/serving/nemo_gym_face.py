"""NeMo Gym face: the HTTP contract of a NeMo Gym resources server, at the root of the address.

    POST /seed_session        a dataset row -> a cookie that names a fresh instance
    POST /{tool}              arguments as JSON, with the cookie -> what the model is shown
    POST /verify              the row and the model's response -> the same and `reward`
    POST /aggregate_metrics   mean, lowest and highest reward

Rows come from the `nemo_gym` format (`worldwright export --to nemo_gym`). Every answer sets the cookie again:
the reference agent keeps only the cookies of the latest answer. A measurement that failed is an error, never
a reward.
"""

from __future__ import annotations

from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synthesis.errors import InvalidInput
from synthesis.serving.faults import Refused, answer
from synthesis.serving.instances import Instances, Live
from synthesis.serving.json_face import body_as

COOKIE = "worldwright_instance"
RESERVED = frozenset({"seed_session", "verify", "aggregate_metrics", "instances"})


class _Open(BaseModel):
    """A body that others may add to: rows carry fields of their own."""

    model_config = ConfigDict(extra="allow")


class VerifierMetadata(_Open):
    """Which task a row is about."""

    task_id: str
    environment: str | None = None
    seed: int = Field(default=0, ge=0, lt=2**63)


class SeedSession(_Open):
    """A dataset row."""

    verifier_metadata: VerifierMetadata


class Verify(SeedSession):
    """A dataset row with the model's response in OpenAI's Responses shape."""

    response: dict[str, Any]


class AggregateMetrics(_Open):
    """The answers of POST /verify."""

    verify_responses: list[dict[str, Any]]


class NemoGymFace:
    """The handlers of the contract.

    Args:
        instances: The instances of this process.

    Raises:
        InvalidInput: A tool has a name that the contract or this server needs.
    """

    def __init__(self, instances: Instances) -> None:
        self.instances = instances
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
        live = await self.instances.open(asked.environment, asked.task_id, asked.seed)
        return _with_cookie(answer({}), live)

    async def call(self, request: Request) -> Response:
        """Call a tool; what the agent sees is the whole body, refusals included."""
        live = self._find(request)
        try:
            arguments = orjson.loads(await request.body() or b"{}")
        except orjson.JSONDecodeError as error:
            raise Refused(400, "not_json", f"The body is not JSON: {error}.") from error
        if not isinstance(arguments, dict):
            raise Refused(422, "invalid_input", "The body is the tool's arguments by name: an object.")
        result = await self.instances.call(live, request.path_params["tool"], arguments)
        return _with_cookie(answer(result.observation()), live)

    async def verify(self, request: Request) -> Response:
        """Measure the episode and end its instance."""
        asked = await body_as(Verify, request)
        live = self._find(request)
        verdict = await self.instances.verify(
            live, asked.verifier_metadata.task_id, final_text(asked.response)
        )
        if verdict.reward is None:
            raise Refused(500, "unscored", f"The episode could not be measured: {verdict.model_dump_json()}")
        await self.instances.close(live, reason="verified")
        told = {"reward": verdict.reward, "label": verdict.label, "verdict": verdict.model_dump(mode="json")}
        return answer(asked.model_dump(mode="json") | told)

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

    def _find(self, request: Request) -> Live:
        id = request.cookies.get(COOKIE)
        if id is None:
            raise Refused(
                422, "no_session", f"No cookie {COOKIE}: POST /seed_session first and keep its cookie."
            )
        return self.instances.find(id)


def final_text(response: dict[str, Any]) -> str:
    """The text of the last message of a response in OpenAI's Responses shape; "" without one."""
    for item in reversed(response.get("output") or []):
        if (
            isinstance(item, dict)
            and item.get("type", "message") == "message"
            and item.get("role") == "assistant"
        ):
            content = item.get("content")
            if isinstance(content, str):
                return content
            return "".join(part.get("text", "") for part in content or [] if isinstance(part, dict))
    return ""


def _with_cookie(response: Response, live: Live) -> Response:
    response.set_cookie(COOKIE, live.id, httponly=True, samesite="strict")
    return response
