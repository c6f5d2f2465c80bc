"""Sample calls: arguments for a tool from its schema, ordinary ones and awkward ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synthesis.verification.argument_values import time_kind
from synthesis.worlds.arguments import MAX_TEXT

MOST_ITEMS = 100
ABSENT_ID = 987_654_321
LONG_TEXT = "x" * 10_000
AWKWARD: dict[str, tuple[Any, ...]] = {
    "integer": (ABSENT_ID, 0, -1),
    "number": (0, -1.5),
    "string": ("", "'; --", "2026-02-30", LONG_TEXT),
    "array": ([],),
    "boolean": (),
    "null": (),
}
"""Values by JSON type that a tool meets sooner or later and must answer or refuse."""

TIMES: dict[str, tuple[str, ...]] = {
    "day": ("2028-02-29", "0001-01-01", "9999-12-31"),
    "moment": ("2026-10-25T02:30:00Z", "0001-01-01T00:00:00", "9999-12-31T23:59:59"),
    "": (),
}
"""Days and moments with which sums of them fail: the first and last of the calendar, and one with a zone."""

PLAIN: dict[str, Any] = {
    "integer": 1,
    "number": 1.5,
    "string": "a",
    "boolean": True,
    "array": [],
    "object": {},
}


def sample_calls(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Argument sets that fit a tool's input schema by type: plain first, then one awkward value at a time."""
    properties: dict[str, Any] = schema.get("properties") or {}
    plain = {name: _plain(properties[name], schema) for name in schema.get("required", ())}
    yield plain
    for name, described in properties.items():
        for value in _awkward(name, described, schema):
            yield {**plain, name: value}


def _plain(described: dict[str, Any], schema: dict[str, Any]) -> Any:
    shape = _resolved(described, schema)
    stated = [*shape.get("enum", ())[:1], *(shape[key] for key in ("const", "minimum") if key in shape)]
    if stated:
        return stated[0]
    kind = _kind(shape)
    if kind == "array" and isinstance(shape.get("items"), dict):
        return [_plain(shape["items"], schema)] * min(int(shape.get("minItems", 0)), MOST_ITEMS)
    if kind == "object":
        inner = shape.get("properties") or {}
        return {name: _plain(inner[name], schema) for name in shape.get("required", ()) if name in inner}
    if kind == "string":
        return "a" * min(max(int(shape.get("minLength", 1)), 1), MAX_TEXT)
    return PLAIN.get(kind)


def _awkward(name: str, described: dict[str, Any], schema: dict[str, Any]) -> tuple[Any, ...]:
    shape = _resolved(described, schema)
    if "enum" in shape:
        return tuple(shape["enum"][1:])
    kind = _kind(shape)
    times = TIMES[time_kind(name, described)] if kind == "string" else ()
    return (*AWKWARD.get(kind, ()), *times)


def _resolved(described: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The shape behind a reference, or the first alternative that is not null."""
    if "$ref" in described:
        results: dict[str, Any] = schema.get("$defs", {}).get(described["$ref"].rpartition("/")[2], {})
        return results
    for alternative in described.get("anyOf", ()):
        if alternative.get("type") != "null":
            return _resolved(alternative, schema)
    return described


def _kind(shape: dict[str, Any]) -> str:
    kind = shape.get("type", "string")
    return str(kind if isinstance(kind, str) else next((one for one in kind if one != "null"), "string"))
