"""Runs where the MCP SDK is, 2.x: plays every task with the client that needs no handshake."""

import instances
from mcp import Client


async def agent(url, calls):
    async with Client(url) as client:
        tools = (await client.list_tools()).tools
        for call in calls:
            result = await client.call_tool(call["name"], call["arguments"])
            assert not result.is_error, result
        return [tool.name for tool in tools]


instances.main(agent)
