"""MCP face: the tools of the instance in a request's path, stateless streamable HTTP, both protocol eras.

One low-level `Server` and one session manager serve every instance: the instance comes from the path, never
from a session, so nothing is kept per client and any number of clients, old and new, share the endpoint. Only
the environment's tools are listed; reset, snapshot and verify are never tools.
"""

from __future__ import annotations

from typing import Any

import mcp_types as types
import orjson
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from synthesis.documents.tools import Tool, ToolResult
from synthesis.errors import WorldwrightError
from synthesis.serving.faults import Refused, fault
from synthesis.serving.instances import Instances, Live

LISTED_MILLISECONDS = 300_000
"""How long a client may go on with a list of tools it has: a server's environments never change, but another
server may be started at the same address."""
STATUS_KEY = "worldwright/status"
"""Key in a result's `_meta`: the status of `ToolResult`, which tells a refusal from a broken environment."""


class McpFace:
    """The MCP endpoint of every instance, an ASGI application under ``/i/{instance}/mcp``.

    Its `manager.run()` must be entered while it serves.
    """

    def __init__(self, instances: Instances, *, version: str, max_body_bytes: int) -> None:
        self.instances = instances
        server: Server[Any] = Server(
            "worldwright", version=version, on_list_tools=self._list_tools, on_call_tool=self._call_tool
        )
        # Without a lookup the modern era runs tools/list before every call to check Mcp-Param headers.
        server.get_tool_input_schema = lambda _name: None
        self.manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=max_body_bytes
        )
        self._listed = {
            name: types.ListToolsResult(
                tools=[described(tool) for tool in world.tools],
                ttl_ms=LISTED_MILLISECONDS,
                cache_scope="private",
            )
            for name, world in instances.worlds.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; an unknown instance is 404 before any MCP is spoken."""
        if scope["method"] != "POST":
            # A stateless server has nothing to stream and no session to end; clients take 405 for that.
            refused = Refused(405, "method", "This MCP endpoint is stateless: POST only.")
            response = fault(refused)
            response.headers["Allow"] = "POST"
            await response(scope, receive, send)
            return
        scope["live"] = self.instances.find(scope["path_params"]["instance"])
        await self.manager.handle_request(scope, receive, send)

    async def _list_tools(
        self, ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return self._listed[_live(ctx).world.environment.name]

    async def _call_tool(
        self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            result = await self.instances.call(_live(ctx), params.name, params.arguments or {})
        except WorldwrightError as error:
            raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from error
        return told(result)


def described(tool: Tool) -> types.Tool:
    """A tool as MCP lists it."""
    output = tool.output_schema if tool.output_schema.get("type") == "object" else None
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=output,
        annotations=types.ToolAnnotations(read_only_hint=not tool.mutates_state, open_world_hint=False),
    )


def told(result: ToolResult) -> types.CallToolResult:
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
