"""OpenEnv face: the wire of an OpenEnv environment server.

    WebSocket /ws                 one session; with ?session_id=, one that POST /mcp made
    POST /mcp                     JSON-RPC: tools/list, tools/call, openenv/session/create and close
    POST /i/{session}/openenv     one message of a session, answered: what the processes of one address relay
    GET  /list_environments  /{environment}/splits
    POST /{environment}/tasks  num_tasks  task  task_range
    GET  /metadata  /schema

Whoever holds a session is a trainer, so everything here asks for the server's token where there is one. A
session's id is a credential of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from synthesis.documents.document import Document
from synthesis.serving.clients import client_of
from synthesis.serving.credentials import Credentials, for_trainers
from synthesis.serving.faults import RequestRefused, answer
from synthesis.serving.instances import Instances
from synthesis.serving.json_endpoint import body_as, task_body
from synthesis.serving.openenv_messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    RELAY,
    SERVER_ERROR,
    MalformedMessage,
    Message,
    answer_message,
    answer_rpc,
    failed,
    read_message,
    rpc_error,
)
from synthesis.serving.openenv_schemas import SCHEMAS
from synthesis.serving.openenv_session import OpenEnvSession
from synthesis.serving.openenv_tasks import splits_of, tasks_of
from synthesis.serving.release import VERSION

Answered = Callable[[Message], Awaitable[Message]]


class TaskRequest(Document):
    """What the task API takes, all of its methods together."""

    split: str
    index: int | None = Field(default=None, ge=0)
    start: int | None = Field(default=None, ge=0)
    stop: int | None = Field(default=None, ge=0)


class OpenEnvEndpoint:
    """The handlers.

    Args:
        instances: The instances of this process.
        credentials: What the ids of sessions are.
    """

    def __init__(self, instances: Instances, credentials: Credentials) -> None:
        self.instances, self.credentials, self.settings = instances, credentials, instances.settings
        self._sessions: dict[str, OpenEnvSession] = {}

    def routes(self) -> list[BaseRoute]:
        """The routes; those with a name of an environment come last."""
        return [
            WebSocketRoute("/ws", self.socket),
            Route("/i/{session}/openenv", self.message, methods=["POST"]),
            Route("/mcp", self.rpc, methods=["POST"]),
            Route("/metadata", self.metadata, methods=["GET"]),
            Route("/schema", self.schema, methods=["GET"]),
            Route("/list_environments", self.environments, methods=["GET"]),
            Route("/{environment}/splits", self.splits, methods=["GET"]),
            Route("/{environment}/{asked:str}", self.tasks, methods=["POST"]),
        ]

    async def socket(self, socket: WebSocket) -> None:
        """Serve one socket; its session ends with it, unless it was made over HTTP."""
        await socket.accept()
        with contextlib.suppress(WebSocketDisconnect):
            given = socket.query_params.get("session_id")
            try:
                if given is None:
                    await self._own(socket)
                else:
                    await self._join(socket, for_trainers(self.credentials.read(given)).instance)
            except RequestRefused as refused:
                code = "CAPACITY_REACHED" if refused.code == "capacity" else "SESSION_ERROR"
                await _send(socket, failed(code, str(refused), cause=refused.code))
            await socket.close()

    async def message(self, request: Request) -> Response:
        """One message of a session that was made over HTTP."""
        session = self._find(for_trainers(self.credentials.grant(request.scope)).instance)
        try:
            asked = read_message((await request.body()).decode(errors="replace"))
        except MalformedMessage as error:
            return answer(failed(error.args[0], error.args[1]))
        return answer(await self._answered(session, asked))

    async def rpc(self, request: Request) -> Response:
        """A JSON-RPC request."""
        try:
            asked = read_message((await request.body()).decode(errors="replace"))
        except MalformedMessage as error:
            return answer(rpc_error(None, INVALID_REQUEST, error.args[1]))
        id, params = asked.get("id"), asked.get("params") or {}
        try:
            if not isinstance(params, dict):
                return answer(rpc_error(id, INVALID_PARAMS, "params: Input should be an object."))
            match asked.get("method"):
                case "openenv/session/create":
                    session = self._create(client_of(request, self.settings))
                    created = {"session_id": self.credentials.issue(session.id, "trainer")}
                    return answer({"jsonrpc": "2.0", "id": id, "result": created})
                case "openenv/session/close":
                    session = self._of_params(params)
                    await self._end(session)
                    ended = {"session_id": params["session_id"], "closed": True}
                    return answer({"jsonrpc": "2.0", "id": id, "result": ended})
            session = self._of_params(params) if "session_id" in params else self._passing(request)
        except RequestRefused as refused:
            number = SERVER_ERROR if refused.status >= 500 else INVALID_PARAMS
            return answer(rpc_error(id, number, str(refused), code=refused.code))
        async with session.turn:
            return answer(await answer_rpc(session, asked))

    async def metadata(self, _: Request) -> Response:
        """What is served, for catalogues."""
        titles = [world.environment.scenario.title for world in self.instances.worlds.values()]
        return answer({"name": "worldwright", "description": "; ".join(titles), "version": VERSION})

    async def schema(self, _: Request) -> Response:
        """The shapes of actions, observations and states."""
        return answer(SCHEMAS)

    async def environments(self, _: Request) -> Response:
        """Names of what is served."""
        return answer(list(self.instances.worlds))

    async def splits(self, request: Request) -> Response:
        """The splits of an environment."""
        environment = self.instances.world(request.path_params["environment"]).environment
        return answer([{"name": split, "type": split} for split in splits_of(environment)])

    async def tasks(self, request: Request) -> Response:
        """The tasks of a split: all, how many, one, or a range."""
        asked = request.path_params["asked"]
        if asked not in ("tasks", "num_tasks", "task", "task_range"):
            raise RequestRefused(404, "unknown_path", f"{request.url.path}: There is nothing at this path.")
        environment = self.instances.world(request.path_params["environment"]).environment
        wanted = await body_as(TaskRequest, request)
        tasks = [task_body(task) for task in tasks_of(environment, wanted.split)]
        match asked:
            case "num_tasks":
                return answer({"num_tasks": len(tasks)})
            case "task":
                if wanted.index is None or wanted.index >= len(tasks):
                    raise RequestRefused(400, "invalid_input", f"index: a number below {len(tasks)}, from 0.")
                return answer({"task": tasks[wanted.index]})
            case "task_range":
                return answer({"tasks": tasks[wanted.start : wanted.stop]})
        return answer({"tasks": tasks, "env_name": environment.name})

    async def _own(self, socket: WebSocket) -> None:
        session = self._create(client_of(socket, self.settings))
        session.attached = True
        try:
            await self._pump(socket, lambda asked: self._answered(session, asked))
        finally:
            await asyncio.shield(self._end(session))

    async def _join(self, socket: WebSocket, id: str) -> None:
        """Serve a session that was made before, here or in another process of this address."""
        if relay := socket.scope.get(RELAY):
            await self._pump(socket, relay)
            return
        session = self._find(id)
        if session.attached:
            raise RequestRefused(409, "attached", "Another socket is attached to this session.")
        session.attached = True
        try:
            await self._pump(socket, lambda asked: self._answered(session, asked))
        finally:
            session.attached, session.used = False, time.monotonic()

    async def _pump(self, socket: WebSocket, answered: Answered) -> None:
        """Answer message after message, until the client closes or says nothing for too long."""
        while True:
            try:
                async with asyncio.timeout(self.settings.idle_seconds):
                    asked = read_message(await socket.receive_text())
            except TimeoutError:
                raise RequestRefused(
                    408, "idle", "The session was idle for too long and has ended."
                ) from None
            except KeyError:
                raise RequestRefused(400, "invalid_input", "Messages are text, not bytes.") from None
            except MalformedMessage as error:
                await _send(socket, failed(error.args[0], error.args[1]))
                continue
            if asked.get("type") == "close":
                return
            await _send(socket, await answered(asked))

    async def _answered(self, session: OpenEnvSession, asked: Message) -> Message:
        session.used = time.monotonic()
        return await answer_message(session, asked)

    def _create(self, client: str) -> OpenEnvSession:
        """A session without an instance yet; those that nobody used for too long give their place."""
        oldest = time.monotonic() - self.settings.idle_seconds
        for id in [id for id, each in self._sessions.items() if each.used < oldest and not each.attached]:
            del self._sessions[id]
        most = self.settings.max_instances
        if len(self._sessions) >= most:
            raise RequestRefused(503, "capacity", f"All {most} sessions are in use.", retry_after=5)
        id = f"{self.instances.prefix}{secrets.token_urlsafe(16)}"
        self._sessions[id] = OpenEnvSession(id, self.instances, client)
        return self._sessions[id]

    def _passing(self, request: Request) -> OpenEnvSession:
        """For a request without a session: it may list the tools of the only environment."""
        return OpenEnvSession("", self.instances, client_of(request, self.settings))

    def _of_params(self, params: dict[str, Any]) -> OpenEnvSession:
        return self._find(for_trainers(self.credentials.read(str(params.get("session_id")))).instance)

    def _find(self, id: str) -> OpenEnvSession:
        session = self._sessions.get(id)
        if session is None:
            raise RequestRefused(404, "unknown_session", "There is no such session: it was closed, or idle.")
        session.used = time.monotonic()
        return session

    async def _end(self, session: OpenEnvSession) -> None:
        self._sessions.pop(session.id, None)
        await session.close()


async def _send(socket: WebSocket, message: Message) -> None:
    await socket.send_text(orjson.dumps(message).decode())
