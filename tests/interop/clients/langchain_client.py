"""Runs where langchain-mcp-adapters is: plays every task with the tools it makes of an instance's."""

import instances
from langchain_mcp_adapters.client import MultiServerMCPClient


async def agent(url, calls):
    client = MultiServerMCPClient({"world": {"transport": "streamable_http", "url": url}})
    tools = {tool.name: tool for tool in await client.get_tools()}
    for call in calls:
        await tools[call["name"]].ainvoke(call["arguments"])
    return list(tools)


instances.main(agent)
