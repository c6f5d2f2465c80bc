"""Clients of the Model Context Protocol, as frameworks for agents carry them, against `worldwright serve`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client_library import Library
from synthesis.documents.answer_form import tool_name
from synthesis.documents.environment import Environment

pytestmark = pytest.mark.at_length

CLIENTS = {
    "mcp-1": ("mcp_session.py", "mcp==1.30.0"),
    "mcp-2": ("mcp_session.py", "mcp==2.3.0"),
    "mcp-2-modern": ("mcp_modern.py", "mcp==2.3.0"),
    "fastmcp-3": ("fastmcp_client.py", "fastmcp==3.4.11"),
    "fastmcp-4": ("fastmcp_client.py", "fastmcp==4.2.3"),
    "openai-agents": ("agents_client.py", "openai-agents==0.24.0"),
    "langchain": ("langchain_client.py", "langchain-mcp-adapters==0.3.2"),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_plays_every_task_and_an_idle_one_earns_nothing(
    client_of: Callable[..., Any], served: Any, tasks_file: Path, environment: Environment, name: str
) -> None:
    script, package = CLIENTS[name]
    result = client_of(Library(name.removesuffix("-modern"), (package,)))(script, served.url, str(tasks_file))
    assert result["gold"] == {task.id: 1.0 for task in environment.tasks.tasks}
    assert max(result["no_op"].values()) == 0.0
    names = {tool.name for tool in environment.tools.tools}
    every = sorted({*names, tool_name(names)})
    assert all(tools == every for tools in result["tools"])
