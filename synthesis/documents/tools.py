"""Tools: functions an agent may call, how a call is written and what comes back."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, JsonValue

from synthesis.documents.document import Document, Identifier
from synthesis.documents.state_diff import StateDiff

ResultStatus = Literal["ok", "refused", "invalid_arguments", "unknown_tool", "error"]
"""How a call ended.

"ok": the tool answered. "refused": it declined (ToolError). "invalid_arguments": they do not fit its schema.
"unknown_tool": there is no such tool. "error": the environment failed (an exception, a limit), which counts
against the environment and not the agent.
"""


def _any_object() -> dict[str, JsonValue]:
    return {"type": "object"}


class Tool(Document):
    """One tool as agents see it, in MCP's shape; derived from the function's signature and docstring."""

    name: Identifier
    description: str
    input_schema: dict[str, JsonValue] = Field(alias="inputSchema")
    output_schema: dict[str, JsonValue] = Field(alias="outputSchema", default_factory=_any_object)
    mutates_state: bool
    """Whether it may write, found by tracing db.execute and db.insert through helpers."""


class Toolset(Document):
    """The source of all tools. Made by `synthesis.worlds.toolset.read_toolset`, which fills `tools`."""

    source: str = Field(min_length=1)
    """The whole of tools.py."""
    tools: tuple[Tool, ...] = ()
    """What the source declares, in source order; derived, so not part of the fingerprint."""

    def content(self) -> Any:
        """The source alone: the tools follow from it."""
        return self.source

    def tool(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        return next((tool for tool in self.tools if tool.name == name), None)


TIME_SPENT, MEMORY_SPENT, WORKER_KILLED = "took longer than", "ran out of memory", "killed its worker"
"""What a result's message says after the tool's name when a limit of this machine ended the call."""


def is_ended_by_limit(name: str, message: str) -> bool:
    """Whether a call failed for time or memory: on another day the same call may go through.

    Words of the tool's own stand behind "failed:", so that no tool can excuse itself with these.
    """
    return message.startswith(tuple(f"{name} {words}" for words in (TIME_SPENT, MEMORY_SPENT, WORKER_KILLED)))


class ToolCall(Document):
    """An action: one tool with its arguments by name."""

    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class ToolResult(Document):
    """What one call came to. Exactly one of `value` (status "ok") and `message` (any other) says it."""

    status: ResultStatus
    value: JsonValue = None
    """What the tool returned."""
    message: str = ""
    """What the agent is told when the call did not go through."""
    broken_invariant: str = Field(default="", exclude_if=lambda value: not value)
    """Name of the declared invariant that the call would have broken; its status is "error"."""
    changes: StateDiff = StateDiff()
    """Rows the call changed; empty unless it committed."""
    seconds: float = Field(default=0.0, ge=0, exclude=True)
    """Wall-clock time; never compared, never stored with the result."""

    @property
    def ok(self) -> bool:
        """Whether the tool answered."""
        return self.status == "ok"

    def observation(self) -> JsonValue:
        """What the agent sees: the value, or an object with the key "error"."""
        return self.value if self.ok else {"error": self.message}
