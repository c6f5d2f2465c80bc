"""What scripts of MCP clients share: instances are opened and scored over plain HTTP, as trainers do."""

import asyncio
import json
import sys
import urllib.request
from pathlib import Path


def post(url, body):
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


async def played(url, tasks, agent):
    """What agents reach: the tools each of them saw, the rewards of those that play and of one that is idle.

    `agent(mcp_url, calls)` is asynchronous, calls what it is told to and gives the names of the tools.
    """
    gold, no_op, listed = {}, {}, []
    for task in tasks:
        for rewards, calls, answer in ((gold, task["calls"], task["answer"]), (no_op, [], "")):
            details = post(f"{url}/instances", {"task": task["id"], "seed": 0})
            listed.append(sorted(await agent(details["mcp_url"], calls)))
            rewards[task["id"]] = post(details["url"] + "/verify", {"answer": answer})["reward"]
    return {"gold": gold, "no_op": no_op, "tools": listed}


def main(agent):
    url, path = sys.argv[1:]
    tasks = json.loads(Path(path).read_text())
    print(json.dumps(asyncio.run(played(url, tasks, agent))))
