"""MCP visit: a real MCP client makes one call to a bundle that `worldwright serve` serves as a process."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolCall

START_SECONDS = 30
STOP_SECONDS = 10


@dataclass(frozen=True)
class Visit:
    """What the client saw.

    Attributes:
        address: The instance's MCP endpoint.
        tools: How many tools the server lists.
        call: What was called.
        answer: What came back, as text.
    """

    address: str
    tools: int
    call: ToolCall
    answer: str


def visit(bundle: Path, environment: Environment) -> Visit:
    """Serve a bundle, open an instance, list its tools and call one over MCP.

    Raises:
        CommandError: The server did not start, or the call did not go through.
    """
    call = telling_call(environment)
    with _served(bundle) as address:
        opened = _post(f"{address}instances", {"environment": environment.name})
        endpoint = str(opened["mcp_url"])
        tools, answer = asyncio.run(_call(endpoint, call))
    return Visit(endpoint, tools, call, answer)


def telling_call(environment: Environment) -> ToolCall:
    """A call that shows something: the first reading call of a task's reference solution."""
    reading = {tool.name for tool in environment.tools.tools if not tool.mutates_state}
    calls = [call for task in environment.tasks.tasks for call in task.reference_solution]
    return next((call for call in calls if call.name in reading), calls[0])


@contextmanager
def _served(bundle: Path) -> Iterator[str]:
    """`worldwright serve` on a free port, as long as the block lasts; gives its address with a slash."""
    command = [sys.executable, "-m", "synthesis.cli", "serve", str(bundle), "--port", "0"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield _address(process)
        finally:
            process.terminate()
            try:
                process.communicate(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(process: subprocess.Popen[str]) -> str:
    """The address a starting server prints."""
    assert process.stdout is not None
    for line in process.stdout:
        if match := re.search(r"Listening on (https?://\S+)", line):
            return match[1].rstrip("/") + "/"
    _, error = process.communicate(timeout=STOP_SECONDS)
    raise CommandError(f"`worldwright serve` did not start: {error.strip() or 'it printed nothing'}")


def _post(url: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(  # noqa: S310 - an address of our own process
        url, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:  # noqa: S310
        results: dict[str, Any] = json.load(answer)
    return results


async def _call(endpoint: str, call: ToolCall) -> tuple[int, str]:
    from mcp import Client
    from mcp.types import TextContent

    async with Client(endpoint) as client:
        listed = await client.list_tools()
        result = await client.call_tool(call.name, call.arguments)
    text = "".join(block.text for block in result.content if isinstance(block, TextContent))
    if result.is_error:
        raise CommandError(f"The MCP call {call.name} failed: {text}")
    return len(listed.tools), text
