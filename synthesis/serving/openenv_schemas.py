"""OpenEnv schemas: the shapes of actions, observations and states, as GET /schema tells them."""

from __future__ import annotations

from pydantic import JsonValue

_OBJECT: dict[str, JsonValue] = {"type": "object"}
_TEXT: dict[str, JsonValue] = {"type": "string"}

SCHEMAS: dict[str, JsonValue] = {
    "action": {
        "oneOf": [
            {"type": "object", "properties": {"type": {"const": "list_tools"}}, "required": ["type"]},
            {
                "type": "object",
                "properties": {"type": {"const": "call_tool"}, "tool_name": _TEXT, "arguments": _OBJECT},
                "required": ["type", "tool_name"],
            },
        ]
    },
    "observation": {
        "type": "object",
        "properties": {
            "tools": {"type": "array", "items": _OBJECT},
            "tool_name": _TEXT,
            "result": {},
            "error": {"anyOf": [_OBJECT, {"type": "null"}]},
            "instruction": _TEXT,
        },
    },
    "state": {
        "type": "object",
        "properties": {
            "episode_id": {"type": ["string", "null"]},
            "step_count": {"type": "integer", "minimum": 0},
            "environment": {"type": ["string", "null"]},
            "task_id": {"type": ["string", "null"]},
            "done": {"type": "boolean"},
        },
    },
}
