"""MCP face: the tools of the instance in a request's path, stateless streamable HTTP, both protocol eras.

One low-level `Server` and one session manager serve every instance: the instance comes from the path, never
from a session, so nothing is kept per client and any number of clients, old and new, share the endpoint. Only
the environment's tools are listed, and the one that takes the final answer; reset, snapshot and verify are
never tools. What an agent is told (the application, its clock, the policy, whom it acts for, how to answer)
stands in the server's instructions and in a resource.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import mcp_types as types
import orjson
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from synthesis.documents.answer_form import DESCRIPTION, PARAMETERS
from synthesis.documents.briefing import briefing_of
from synthesis.documents.tool_schemas import plain_schema
from synthesis.documents.tools import Tool, ToolResult
from synthesis.errors import WorldwrightError
from synthesis.serving.credentials import Credentials
from synthesis.serving.direct_call import DirectCall, direct_call, has_plain_headers, whole_body
from synthesis.serving.faults import RequestRefused, fault
from synthesis.serving.instances import Instances, Live
from synthesis.worlds.world import World

LISTED_MILLISECONDS = 300_000
"""How long a client may go on with a list of tools it has: a server's environments never change, but another
server may be started at the same address."""
STATUS_KEY = "worldwright/status"
"""Key in a result's `_meta`: the status of `ToolResult`, which tells a refusal from a broken environment."""


BRIEFING_URI = "worldwright://briefing"
_INSTRUCTIONS: ContextVar[str | None] = ContextVar("_INSTRUCTIONS", default=None)


class BriefedServer(Server[Any]):
    """A server whose instructions are those of the request it answers: instances have tasks of their own."""

    @property
    def instructions(self) -> str | None:
        """What an agent is told of the instance in the request's path."""
        return _INSTRUCTIONS.get()

    @instructions.setter
    def instructions(self, _: str | None) -> None:
        """Nothing: the base class sets it once for all requests."""


class McpEndpoint:
    """The MCP endpoint of every instance, an ASGI application under ``/i/{instance}/mcp``.

    Its `manager.run()` must be entered while it serves.
    """

    def __init__(
        self, instances: Instances, credentials: Credentials, *, version: str, max_body_bytes: int
    ) -> None:
        self.instances, self.credentials = instances, credentials
        server: Server[Any] = BriefedServer(
            "worldwright",
            version=version,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
        )
        # Without a lookup the modern era runs tools/list before every call to check Mcp-Param headers.
        server.get_tool_input_schema = lambda _name: None
        self.manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=max_body_bytes
        )
        self._listed = {
            name: types.ListToolsResult(
                tools=[*(described(tool) for tool in world.tools), *self._submitting(world)],
                ttl_ms=LISTED_MILLISECONDS,
                cache_scope="private",
            )
            for name, world in instances.worlds.items()
        }
        self._briefings: dict[tuple[str, str | None], str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; without a credential it is 401 before any MCP is spoken."""
        if scope["method"] != "POST":
            # A stateless server has nothing to stream and no session to end; clients take 405 for that.
            refused = RequestRefused(405, "method", "This MCP endpoint is stateless: POST only.")
            response = fault(refused)
            response.headers["Allow"] = "POST"
            await response(scope, receive, send)
            return
        scope["live"] = live = self.instances.find(self.credentials.grant(scope).instance)
        if has_plain_headers(scope["headers"]):
            body, receive = await whole_body(receive)
            if (call := direct_call(body)) is not None:
                await (await self._answered(call, live))(scope, receive, send)
                return
        _INSTRUCTIONS.set(self._briefing(live))
        await self.manager.handle_request(scope, receive, send)

    async def _answered(self, call: DirectCall, live: Live) -> Response:
        try:
            result = await self.instances.call(live, call.name, call.arguments)
        except WorldwrightError as error:
            return call.error(str(error))
        return call.response(call_result(result))

    async def _list_tools(
        self, ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return self._listed[_live(ctx).world.environment.name]

    def _briefing(self, live: Live) -> str:
        """What an agent is told of an instance: worked out once per task, since every request asks for it."""
        key = live.world.environment.name, live.task.id if live.task else None
        if key not in self._briefings:
            briefing = briefing_of(live.world.environment, live.task, self.instances.settings.answer_form)
            asked = f"\n\n# Request\n\n{briefing.instruction}" if briefing.instruction else ""
            self._briefings[key] = briefing.text() + asked
        return self._briefings[key]

    def _submitting(self, world: World) -> list[types.Tool]:
        """The tool that takes the final answer, where answers may have fields."""
        name = self.instances.submit_name(world)
        if name is None:
            return []
        annotations = types.ToolAnnotations(read_only_hint=False, open_world_hint=False)
        return [
            types.Tool(name=name, description=DESCRIPTION, input_schema=PARAMETERS, annotations=annotations)
        ]

    async def _list_resources(
        self, _ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        resource = types.Resource(
            name="briefing",
            uri=BRIEFING_URI,
            description="The application, its clock, the policy, whom the agent acts for, how to answer, and "
            "what is asked.",
            mime_type="text/markdown",
        )
        return types.ListResourcesResult(
            resources=[resource], ttl_ms=LISTED_MILLISECONDS, cache_scope="private"
        )

    async def _read_resource(
        self, ctx: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        if str(params.uri) != BRIEFING_URI:
            raise MCPError(
                code=types.INVALID_PARAMS, message=f"There is no resource {str(params.uri)[:200]!r}."
            )
        contents = types.TextResourceContents(
            uri=BRIEFING_URI, mime_type="text/markdown", text=self._briefing(_live(ctx))
        )
        return types.ReadResourceResult(contents=[contents], ttl_ms=0, cache_scope="private")

    async def _call_tool(
        self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            result = await self.instances.call(_live(ctx), params.name, params.arguments or {})
        except WorldwrightError as error:
            raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from error
        return call_result(result)


def described(tool: Tool) -> types.Tool:
    """A tool as MCP lists it."""
    output = tool.output_schema if tool.output_schema.get("type") == "object" else None
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=plain_schema(tool.input_schema),
        output_schema=output,
        annotations=types.ToolAnnotations(read_only_hint=not tool.mutates_state, open_world_hint=False),
    )


def call_result(result: ToolResult) -> types.CallToolResult:
    """A result as MCP tells it: JSON text and structured content, or an error's text."""
    meta: Any = {STATUS_KEY: result.status}
    if not result.ok:
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=result.message)], is_error=True, _meta=meta
        )
    value = result.value
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        # The protocol wants an object here; anything else is wrapped the way the Python SDK does it.
        structured_content=value if isinstance(value, dict) else {"result": value},
        is_error=False,
        _meta=meta,
    )


def _live(ctx: ServerRequestContext[Any]) -> Live:
    request = ctx.request
    assert isinstance(request, Request)
    live: Live = request.scope["live"]
    return live
