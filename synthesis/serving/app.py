"""App: the one ASGI application of a server.

                                                                                             who may
POST   /instances       {environment?, task?, seed?} -> a fresh instance and its credentials  trainer
POST   /i/{id}/mcp      MCP, stateless streamable HTTP with JSON replies: the tools           agent
POST   /i/{id}/call     {name, arguments} -> a tool's result                                  agent
POST   /i/{id}/call?changes=1   the same with the rows it changed                             trainer
POST   /i/{id}/reset    {task?, seed?}                                                        trainer
POST   /i/{id}/verify   {task?, answer} -> the verdict and its reward                         trainer
GET    /i/{id}          state hash, calls, task                                               trainer
DELETE /i/{id}                                                                                trainer
GET    /environments /tools /tasks /metrics                                                   trainer
GET    /health                                                                                anyone

OpenEnv: WS /ws  POST /mcp  GET /list_environments ...: see `synthesis.serving.openenv_endpoint`  trainer

{id} is an instance's id with a credential in the header, or a credential itself: see
`synthesis.serving.credentials`. Whatever an agent may do, its trainer may do too.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from synthesis.errors import WorldwrightError
from synthesis.serving.credentials import Credentials
from synthesis.serving.faults import RequestRefused, answer, fault, on_crash, on_error
from synthesis.serving.guards import Guards
from synthesis.serving.instances import Instances
from synthesis.serving.json_endpoint import JsonEndpoint
from synthesis.serving.mcp_endpoint import McpEndpoint
from synthesis.serving.metrics import Metrics
from synthesis.serving.nemo_gym_endpoint import NemoGymEndpoint
from synthesis.serving.openenv_endpoint import OpenEnvEndpoint
from synthesis.serving.peers import Peers, prefix_of
from synthesis.serving.release import VERSION
from synthesis.serving.settings import ServeSettings
from synthesis.worlds.sandbox.kills import KILLS
from synthesis.worlds.world import World


def create_app(
    worlds: Mapping[str, World],
    settings: ServeSettings | None = None,
    *,
    sandbox: Mapping[str, object] | None = None,
    process: tuple[int, list[str]] | None = None,
    key: bytes | None = None,
) -> ASGIApp:
    """The application that serves some compiled worlds; entering its lifespan starts it.

    Args:
        worlds: Worlds by environment name. The caller closes them after the application ended.
        settings: Boundaries and limits.
        sandbox: What GET /health says about the layers around generated code.
        process: Index of this process and the private sockets of all, where several serve one address.
        key: Signs the credentials of instances; the processes of one address share it. None: a fresh one.
    """
    settings = settings or ServeSettings()
    metrics = Metrics()
    instances = Instances(worlds, settings, metrics, prefix=prefix_of(process[0]) if process else "")
    credentials = Credentials(seconds=settings.credential_seconds, token=settings.token, key=key)
    openenv = OpenEnvEndpoint(instances, credentials)
    mcp_endpoint = McpEndpoint(
        instances, credentials, version=VERSION, max_body_bytes=settings.max_body_bytes
    )

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with mcp_endpoint.manager.run(), anyio.create_task_group() as tasks:
            tasks.start_soon(instances.reap_for_ever)
            tasks.start_soon(instances.watch_for_ever)
            yield
            tasks.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await instances.close_all()

    async def health(_: Request) -> Response:
        status = "stopping" if instances.draining else "ok"
        details = {
            "status": status,
            "version": VERSION,
            "environments": sorted(worlds),
            "instances": len(instances),
            "max_instances": settings.max_instances,
            "sandbox": dict(sandbox or {}),
        }
        return answer(details, 503 if instances.draining else 200)

    async def show_metrics(_: Request) -> Response:
        gauges = {
            "worldwright_instances": float(len(instances)),
            "worldwright_in_flight": float(guards.in_flight),
        }
        kills = {
            ("worldwright_sandbox_kills_total", "reason", reason.value): count
            for reason, count in KILLS.by_reason().items()
        }
        return PlainTextResponse(metrics.text(gauges, kills), media_type="text/plain; version=0.0.4")

    app = Starlette(
        routes=[
            Route("/i/{instance}/mcp", mcp_endpoint),
            *JsonEndpoint(instances, settings, credentials).routes(),
            Route("/health", health, methods=["GET"]),
            Route("/metrics", show_metrics, methods=["GET"]),
            *openenv.routes(),
            *(NemoGymEndpoint(instances, credentials).routes() if settings.nemo_gym else ()),
        ],
        lifespan=lifespan,
        exception_handlers={
            WorldwrightError: on_error,
            HTTPException: _on_http_error,
            Exception: on_crash,
        },
    )
    guards = Guards(Peers(app, *process) if process else app, settings, metrics, credentials)
    return PeerRouter(app, guards) if process else guards


class PeerRouter:
    """Requests from outside pass the guards; those that a peer relays have passed them already."""

    def __init__(self, private: ASGIApp, public: ASGIApp) -> None:
        self.private, self.public = private, public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A Unix socket has no port; only peers can reach it, because its folder is ours alone."""
        relayed = scope["type"] == "http" and scope["server"] is not None and scope["server"][1] is None
        await (self.private if relayed else self.public)(scope, receive, send)


async def _on_http_error(request: Request, error: Exception) -> Response:
    """Unknown paths and methods, in the same shape as every other refusal."""
    assert isinstance(error, HTTPException)
    answers = {404: "There is nothing at this path.", 405: "This path does not support that method."}
    code = {404: "unknown_path", 405: "method"}.get(error.status_code, "http")
    message = answers.get(error.status_code, error.detail)
    response = fault(
        RequestRefused(error.status_code, code, f"{request.method} {request.url.path}: {message}")
    )
    response.headers.update(error.headers or {})
    return response
