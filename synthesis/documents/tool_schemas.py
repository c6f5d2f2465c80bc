"""Tool schemas as other programs read them: plain types for optional parameters, or OpenAI's strict form.

A tool's own schema has a union with null for an optional parameter whose type says so. Many agents show such
a union as "unknown" or drop it, so clients are shown the type alone: leaving the parameter out means the
same, and null is accepted for every optional parameter that has a default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from synthesis.errors import InvalidInput

Schema = dict[str, JsonValue]

_STRICT_KEYS = frozenset(
    (
        *("type", "enum", "const", "anyOf", "items", "properties", "description", "pattern"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"),
    )
)
"""What strict mode knows of what our schemas may hold."""


def plain_schema(schema: Mapping[str, Any]) -> Schema:
    """The same arguments with a plain type for each optional parameter that may be null.

    Args:
        schema: A tool's inputSchema.
    """
    required = schema.get("required", ())
    properties = {
        name: rule if name in required else _without_null(rule)
        for name, rule in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties}


def strict_schema(schema: Mapping[str, Any]) -> Schema:
    """The same arguments for OpenAI's strict mode: every parameter is required, optional ones may be null.

    Args:
        schema: A tool's inputSchema.

    Raises:
        InvalidInput: A parameter is an object of any keys, which strict mode cannot express.
    """
    return _strict(plain_schema(schema), "the arguments")


def _without_null(rule: Mapping[str, Any]) -> Schema:
    options = [option for option in rule.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) != 1:
        return dict(rule)
    rest = {key: value for key, value in rule.items() if key != "anyOf"}
    if rest.get("default", 0) is None:
        del rest["default"]
    return {**options[0], **rest}


def _strict(rule: Mapping[str, Any], what: str) -> Schema:
    result: dict[str, Any] = {key: value for key, value in rule.items() if key in _STRICT_KEYS}
    if "anyOf" in rule:
        result["anyOf"] = [_strict(option, what) for option in rule["anyOf"]]
    if rule.get("type") == "array":
        if not isinstance(rule.get("items"), Mapping):
            raise InvalidInput(f"Strict mode: the items of {what} have no type.")
        result["items"] = _strict(rule["items"], what)
    if rule.get("type") == "object":
        if "properties" not in rule or rule.get("additionalProperties") not in (None, False):
            raise InvalidInput(f"Strict mode: {what} may have any keys, which it cannot express.")
        needed = rule.get("required", ())
        result["properties"] = {
            name: _strict(inner, name) if name in needed else _nullable(_strict(inner, name))
            for name, inner in rule["properties"].items()
        }
        result["required"] = list(rule["properties"])
        result["additionalProperties"] = False
    elif not result.keys() & {"type", "anyOf", "enum", "const"}:
        raise InvalidInput(f"Strict mode: {what} has no type.")
    return result


def _nullable(rule: Schema) -> Schema:
    """The same or null; a description stays where readers look for it."""
    if any(isinstance(option, dict) and option.get("type") == "null" for option in _options(rule)):
        return rule
    described = {"description": rule["description"]} if "description" in rule else {}
    inner = {key: value for key, value in rule.items() if key != "description"}
    options = _options(inner) or [inner]
    return {"anyOf": [*options, {"type": "null"}], **described}


def _options(rule: Schema) -> list[JsonValue]:
    options = rule.get("anyOf")
    return options if isinstance(options, list) else []
