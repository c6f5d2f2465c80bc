"""Runs where fastmcp is, 3.x or 4.x: plays every task with its client."""

import instances
from fastmcp import Client


async def agent(url, calls):
    async with Client(url) as client:
        tools = await client.list_tools()
        for call in calls:
            await client.call_tool(call["name"], call["arguments"])
        return [tool.name for tool in tools]


instances.main(agent)
