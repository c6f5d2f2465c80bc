"""Runs where the MCP SDK is, 1.x or 2.x: plays every task over a session with a handshake."""

import instances
from mcp import ClientSession

try:
    from mcp.client.streamable_http import streamable_http_client as connect
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as connect


async def agent(url, calls):
    async with connect(url) as streams, ClientSession(*streams[:2]) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        for call in calls:
            result = await session.call_tool(call["name"], call["arguments"])
            assert not getattr(result, "is_error", getattr(result, "isError", None)), result
        return [tool.name for tool in tools]


instances.main(agent)
