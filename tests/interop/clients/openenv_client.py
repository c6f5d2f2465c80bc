"""Runs in the environment of OpenEnv's client: argv holds the server's address and a file of tasks.

Plays the reference solution of every task and an idle episode over a socket; the tasks one after the other in
one session, each over what the last one changed; the first one as AWM's environment; lists and calls tools in
the client's default mode (HTTP and a socket). Prints what came of it as JSON.
"""

import asyncio
import json
import sys
from pathlib import Path

from openenv.core.env_server.mcp_types import CallToolAction, ListToolsAction
from openenv.core.generic_client import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient


async def play(env, task):
    for call in task["calls"]:
        result = await env.step(CallToolAction(tool_name=call["name"], arguments=call["arguments"]))
        assert not result.observation.get("error"), result


async def in_one_session(url, tasks):
    """The rewards of all tasks, each begun by a reset to another task and seed in a changed world."""
    rewards = {}
    async with GenericEnvClient(base_url=url) as env:
        await env.reset(task=tasks[0]["id"], seed=1)
        await play(env, tasks[0])
        for seed, task in enumerate(tasks, start=2):
            begun = await env.reset(task=task["id"], seed=seed)
            assert begun.observation["instruction"] == task["instruction"]
            await play(env, task)
            end = {"final_answer": task["answer"]}
            result = await env.step(CallToolAction(tool_name="verify", arguments=end))
            rewards[task["id"]] = result.reward
    return rewards


async def as_awm(url, task):
    """What AWM's environment answers to its own tools, for a scenario and a number."""
    async with GenericEnvClient(base_url=url) as env:
        await env.reset()
        listed = await env.step(CallToolAction(tool_name="__list_scenarios__", arguments={}))
        (scenario,) = listed.observation["scenarios"]
        await env.reset(scenario=scenario["name"], task_idx=0)
        await play(env, task)
        measured = await env.step(
            CallToolAction(tool_name="verify", arguments={"final_answer": task["answer"]})
        )
        ended = await env.step(CallToolAction(tool_name="done", arguments={}))
    return [measured.observation["reward_type"], measured.reward, ended.done]


async def over_a_socket(url, task):
    async with GenericEnvClient(base_url=url) as env:
        await env.reset(task=task["id"])
        listed = await env.step(ListToolsAction())
        await play(env, task)
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


async def failure(env, name, **arguments):
    """What a call fails with, "" if it does not; the client raises it or returns it, by its version."""
    try:
        result = await env.call_tool(name, **arguments)
    except RuntimeError as error:
        return str(error)
    return str(result.get("error") or "") if isinstance(result, dict) else ""


async def in_default_mode(url, tasks):
    # The client's call_tool takes the tool as `name`: an argument of that name goes through step alone.
    task = next(each for each in tasks if each["calls"] and "name" not in each["calls"][0]["arguments"])
    call = task["calls"][0]
    async with MCPToolClient(base_url=url) as env:
        begun = await env.reset(task=task["id"])
        tools = await env.list_tools()
        called = await env.call_tool(call["name"], **call["arguments"])
        unknown = await failure(env, "drop_tables")
        refused = await failure(env, call["name"], no_such_parameter=1)
        result = await env.step(CallToolAction(tool_name=call["name"], arguments=call["arguments"]))
        return {
            "told": begun.observation.metadata["instruction"] == task["instruction"],
            "listed": len(tools),
            "called": called,
            "refused": refused,
            "unknown": unknown,
            "stepped": result.observation.result,
        }


async def main(url, tasks):
    played = {task["id"]: await over_a_socket(url, task) for task in tasks}
    rewards = {name: {task: each[name][0] for task, each in played.items()} for name in ("gold", "no_op")}
    ended = all(each[name][1] for each in played.values() for name in rewards)
    counts = sorted({(each["tools"], each["steps"]) for each in played.values()})
    found = {
        "ended": ended,
        "counts": counts,
        "in_one_session": await in_one_session(url, tasks),
        "as_awm": await as_awm(url, tasks[0]),
        "default": await in_default_mode(url, tasks),
    }
    print(json.dumps({**rewards, **found}))


asyncio.run(main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text())))
