"""Runs in the environment of OpenEnv's client: argv holds the server's address and a file of tasks.

Plays the reference solution of every task and an idle episode over a socket, lists and calls tools in the
client's default mode (HTTP and a socket), and prints what came of it as JSON.
"""

import asyncio
import json
import sys
from pathlib import Path

from openenv.core.env_server.mcp_types import CallToolAction, ListToolsAction
from openenv.core.generic_client import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient


async def over_a_socket(url, task):
    async with GenericEnvClient(base_url=url) as env:
        await env.reset(task=task["id"])
        listed = await env.step(ListToolsAction())
        for call in task["calls"]:
            action = CallToolAction(tool_name=call["name"], arguments=call["arguments"])
            result = await env.step(action)
            assert result.observation["error"] is None, result
        answer = {"final_answer": task["answer"]}
        gold = await env.step(CallToolAction(tool_name="done", arguments=answer))
        await env.reset(task=task["id"])
        idle = await env.step(CallToolAction(tool_name="done", arguments={}))
        state = await env.state()
        return {
            "tools": len(listed.observation["tools"]),
            "gold": [gold.reward, gold.done],
            "no_op": [idle.reward, idle.done],
            "steps": state["step_count"],
        }


async def in_default_mode(url, task):
    async with MCPToolClient(base_url=url) as env:
        begun = await env.reset(task=task["id"])
        tools = await env.list_tools()
        call = task["calls"][0] if task["calls"] else {"name": tools[0].name, "arguments": {}}
        called = await env.call_tool(call["name"], **call["arguments"])
        try:
            await env.call_tool("drop_tables")
        except RuntimeError as error:
            unknown = str(error)
        refused = await env.call_tool(call["name"], no_such_parameter=1)
        result = await env.step(CallToolAction(tool_name=call["name"], arguments=call["arguments"]))
        return {
            "instruction": begun.observation.metadata["instruction"],
            "listed": len(tools),
            "called": called,
            "refused": refused,
            "unknown": unknown,
            "stepped": result.observation.result,
        }


async def main(url, tasks):
    played = [await over_a_socket(url, task) for task in tasks]
    print(json.dumps({"played": played, "default": await in_default_mode(url, tasks[0])}))


asyncio.run(main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text())))
