"""Arguments of a call, checked against the tool's JSON Schema before the tool sees them.

Strict: true and 1.0 are no integers, "5" is no number. Only those keywords are
known here that `synthesis.worlds.worker.signature` derives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from synthesis.worlds.text_patterns import fits

Schema = Mapping[str, Any]

MAX_TEXT = 20_000
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1

TYPE_WORDS = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def validation_errors(
    schema: Schema, arguments: Mapping[str, Any], *, max_depth: int = 32, max_size: int = 200_000
) -> str:
    """What is wrong with the arguments of one call, as sentences for the agent; empty if nothing is.

    Args:
        schema: The tool's inputSchema.
        arguments: What was given.
        max_depth: Nesting that is allowed.
        max_size: Characters and values that one argument may hold in all.
    """
    properties: Mapping[str, Schema] = schema["properties"]
    texts = [
        f"{name} is missing ({expected(properties[name])})"
        for name in schema.get("required", ())
        if name not in arguments
    ]
    for name, value in arguments.items():
        if name not in properties:
            allowed = ", ".join(properties) or "none"
            texts.append(f"{_shown(name)} is not a parameter of this tool (parameters: {allowed})")
        elif value is None and "default" in properties[name]:
            continue  # as if it were left out, see `without_nulls`
        elif problem := (_unfit(value, max_depth, max_size) or validation_error(properties[name], value)):
            texts.append(f"{name} {problem}")
    return f"Invalid arguments: {'; '.join(texts)}." if texts else ""


def without_nulls(schema: Schema, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments that fit, without those that are null where the parameter's default is meant.

    Agents in strict mode give every parameter, and null for what they would leave out.
    """
    properties: Mapping[str, Schema] = schema["properties"]
    meant = [
        name
        for name, value in arguments.items()
        if value is None and validation_error(properties[name], None)
    ]
    return {name: value for name, value in arguments.items() if name not in meant} if meant else arguments


def validation_error(schema: Schema, value: Any) -> str:
    """What is wrong with a value: the rest of a sentence that begins with its name, or empty."""
    if "anyOf" in schema:
        return _any_of(schema, value)
    if "enum" in schema or "const" in schema:
        allowed = schema.get("enum", [schema.get("const")])
        fits = any(type(value) is type(one) and value == one for one in allowed)
        return "" if fits else f"must be one of {', '.join(map(_shown, allowed))}, not {_shown(value)}"
    kind = schema.get("type")
    if kind is None:
        return ""
    if not _is(kind, value):
        return f"must be {TYPE_WORDS[kind]}, not {_shown(value)}"
    return _CHECKS[kind](schema, value) if kind in _CHECKS else ""


def expected(schema: Schema) -> str:
    """What a parameter takes, in words."""
    if "anyOf" in schema:
        return " or ".join(expected(option) for option in schema["anyOf"])
    if "enum" in schema:
        return f"one of {', '.join(map(_shown, schema['enum']))}"
    if "const" in schema:
        return _shown(schema["const"])
    return TYPE_WORDS.get(schema.get("type", ""), "any value")


def _any_of(schema: Schema, value: Any) -> str:
    problems = []
    for option in schema["anyOf"]:
        if not (problem := validation_error(option, value)):
            return ""
        problems.append(problem)
    fitting = [
        problem
        for option, problem in zip(schema["anyOf"], problems, strict=True)
        if "type" in option and _is(option["type"], value)
    ]
    return fitting[0] if fitting else f"must be {expected(schema)}, not {_shown(value)}"


def _is(kind: str, value: Any) -> bool:
    return isinstance(value, _TYPES[kind]) and not (isinstance(value, bool) and kind != "boolean")


def _number(schema: Schema, value: float) -> str:
    broken = [
        f"{words} {schema[key]}"
        for key, words, holds in _BOUNDS
        if key in schema and not holds(value, schema[key])
    ]
    return f"must be {' and '.join(broken)}, not {_shown(value)}" if broken else ""


def _string(schema: Schema, value: str) -> str:
    if problem := _sized(schema, len(value), "Length", "characters"):
        return problem
    if "pattern" in schema and not fits(schema["pattern"], value):
        return f"must match the pattern {schema['pattern']}, not {_shown(value)}"
    return ""


def _array(schema: Schema, value: list[Any]) -> str:
    if problem := _sized(schema, len(value), "Items", "items"):
        return problem
    prefix = schema.get("prefixItems", [])
    for number, item in enumerate(value):
        rule = prefix[number] if number < len(prefix) else schema.get("items", {})
        if isinstance(rule, Mapping) and (problem := validation_error(rule, item)):
            return f"[{number}] {problem}"
    return ""


def _object(schema: Schema, value: dict[str, Any]) -> str:
    properties = schema.get("properties", {})
    if missing := [name for name in schema.get("required", ()) if name not in value]:
        return f"lacks {', '.join(missing)}"
    extra = schema.get("additionalProperties", True)
    for name, item in value.items():
        rule = properties.get(name, extra)
        if rule is False:
            return f"must not have {_shown(name)} (it has {', '.join(properties) or 'no keys'})"
        if isinstance(rule, Mapping) and (problem := validation_error(rule, item)):
            return f".{name} {problem}"
    return _sized(schema, len(value), "Properties", "keys")


def _sized(schema: Schema, size: int, what: str, unit: str) -> str:
    if size < schema.get(f"min{what}", 0):
        return f"must have at least {schema[f'min{what}']} {unit}, not {size}"
    if size > schema.get(f"max{what}", size):
        return f"must have at most {schema[f'max{what}']} {unit}, not {size}"
    return ""


_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
_BOUNDS: tuple[tuple[str, str, Callable[[Any, Any], bool]], ...] = (
    ("minimum", "at least", lambda v, b: v >= b),
    ("maximum", "at most", lambda v, b: v <= b),
    ("exclusiveMinimum", "greater than", lambda v, b: v > b),
    ("exclusiveMaximum", "less than", lambda v, b: v < b),
    ("multipleOf", "a multiple of", lambda v, b: v % b == 0),
)
_CHECKS: dict[str, Callable[[Schema, Any], str]] = {
    "integer": _number,
    "number": _number,
    "string": _string,
    "array": _array,
    "object": _object,
}


def _unfit(value: Any, max_depth: int, max_size: int) -> str:
    """What no tool is ever shown: integers beyond 64 bits, lone surrogates, over-long text, deep nesting."""
    stack, size = [(value, 0)], 0
    while stack:
        item, depth = stack.pop()
        size += len(item) if isinstance(item, str) else 1
        if depth > max_depth:
            return f"is nested deeper than {max_depth} levels"
        if size > max_size:
            return f"is too large: at most {max_size} characters and values"
        if problem := _unfit_scalar(item):
            return problem
        if isinstance(item, list):
            stack += [(inner, depth + 1) for inner in item]
        elif isinstance(item, dict):
            stack += [(inner, depth + 1) for pair in item.items() for inner in pair]
    return ""


def _unfit_scalar(item: Any) -> str:
    if isinstance(item, str):
        if len(item) > MAX_TEXT:
            return f"must have at most {MAX_TEXT} characters, not {len(item)}"
        if not item.isascii() and any("\ud800" <= sign <= "\udfff" for sign in item):
            return "must be valid Unicode text, without lone surrogates"
    elif isinstance(item, int) and not _SMALLEST <= item <= _LARGEST:
        return f"must be an integer from {_SMALLEST} to {_LARGEST}"
    elif isinstance(item, float) and item - item != 0:
        return f"must be a finite number, not {item}"
    return ""


def _shown(value: Any) -> str:
    words = {True: "true", False: "false"}
    text = words[value] if isinstance(value, bool) else "null" if value is None else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
