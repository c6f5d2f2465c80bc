"""A tool's signature and docstring as the JSON Schema that agents see. Runs where generated code may run."""

from __future__ import annotations

import inspect
import json
import typing
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from docstring_parser import DocstringStyle, parse
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import SchemaError

Schema = dict[str, Any]

_KNOWN_KEYS = frozenset(
    [
        "type",
        "enum",
        "const",
        "anyOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "description",
        "default",
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
    ]
)
_ORDER = (
    "anyOf",
    "type",
    "enum",
    "const",
    "items",
    "prefixItems",
    "properties",
    "required",
    "additionalProperties",
)


class Undescribed(ValueError):
    """A function that cannot be described as a tool; the text goes on after the function's name."""


def describe(function: Callable[..., Any], *, mutates_state: bool) -> dict[str, Any]:
    """A function as a `Tool` in plain values.

    Raises:
        Undescribed: A type that agents cannot be told, or a parameter without a description.
    """
    documented = parse(inspect.getdoc(function) or "", style=DocstringStyle.GOOGLE)
    description = "\n\n".join(
        text for text in (documented.short_description, documented.long_description) if text
    )
    hints = _hints(function)
    texts = {
        parameter.arg_name: " ".join((parameter.description or "").split()) for parameter in documented.params
    }
    parameters = list(inspect.signature(function).parameters.values())[1:]
    names = [parameter.name for parameter in parameters]
    if unknown := [name for name in texts if name not in names]:
        raise Undescribed(f"documents {', '.join(unknown)}, which is not a parameter")
    properties = {p.name: _parameter(p, hints.get(p.name), texts.get(p.name, "")) for p in parameters}
    schema = {
        "type": "object",
        "properties": properties,
        "required": [p.name for p in parameters if "default" not in properties[p.name]],
        "additionalProperties": False,
    }
    if examples := _examples(text.description or "" for text in documented.examples):
        schema["examples"] = examples
    return {
        "name": function.__name__,
        "description": description,
        "inputSchema": schema,
        "outputSchema": _output(hints.get("return")),
        "mutates_state": mutates_state,
    }


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception as error:
        raise Undescribed(f"has a type that cannot be read: {type(error).__name__}: {error}") from error


def _examples(texts: Iterable[str]) -> list[Schema]:
    """Arguments of calls that a docstring names as JSON objects; other examples are for people."""
    examples = []
    for line in (line.strip() for text in texts for line in text.splitlines()):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            examples.append(value)
    return examples


def _parameter(parameter: inspect.Parameter, hint: Any, text: str) -> Schema:
    schema = _schema(hint, f"parameter {parameter.name}")
    if not text and not schema.get("description"):
        raise Undescribed(f"does not describe parameter {parameter.name} under Args: in its docstring")
    if text:
        schema["description"] = text
    default = parameter.default
    if isinstance(default, FieldInfo):
        raise Undescribed(
            f"gives Field(...) as default of {parameter.name}; write Annotated[type, Field(...)]"
        )
    if default is not inspect.Parameter.empty:
        if default is not None and not isinstance(default, bool | int | float | str | list | dict):
            raise Undescribed(f"has a default of {parameter.name} that JSON cannot express: {default!r:.80}")
        schema["default"] = default
    return schema


def _output(hint: Any) -> Schema:
    schema = _schema(hint, "the result") if hint is not None else {}
    if schema.get("type") == "object" and "properties" not in schema:
        return {"type": "object"}
    return schema if schema.get("type") == "object" else {"type": "object"}


def _schema(hint: Any, what: str) -> Schema:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            full = TypeAdapter(hint).json_schema()
    except SchemaError as error:
        if "regex" in str(error):
            why = str(error).strip().splitlines()[-1].strip().removeprefix("error: ")
            raise Undescribed(
                f"has a pattern of {what} that cannot be matched in linear time ({why:.200}); leave out "
                "look-around, back-references and what only Python's re knows, or check it in the tool's code"
            ) from error
        raise Undescribed(
            f"has a type of {what} that cannot be described to agents: {error}".splitlines()[0]
        ) from error
    except Exception as error:
        raise Undescribed(
            f"has a type of {what} that cannot be described to agents: {error}".splitlines()[0]
        ) from error
    return _tidy(full, full.pop("$defs", {}), what, 0)


def _tidy(schema: Schema, definitions: dict[str, Schema], what: str, depth: int) -> Schema:
    """The schema without titles and references, its keys in one order."""
    if depth > 16:
        raise Undescribed(f"has a type of {what} that refers to itself")
    if "$ref" in schema:
        named = definitions[schema["$ref"].rsplit("/", 1)[-1]]
        extra = {key: value for key, value in schema.items() if key != "$ref"}
        return _tidy({**named, **extra}, definitions, what, depth + 1)
    schema = {key: value for key, value in schema.items() if key != "title"}
    if unknown := sorted(schema.keys() - _KNOWN_KEYS):
        raise Undescribed(
            f"has a type of {what} that is not supported ({', '.join(unknown)}); use str, int, "
            "float, bool, Literal, lists, dicts, TypedDict and | None"
        )
    tidied: Schema = {}
    for key in [*(k for k in _ORDER if k in schema), *(k for k in schema if k not in _ORDER)]:
        tidied[key] = _tidy_value(key, schema[key], definitions, what, depth + 1)
    return tidied


def _tidy_value(key: str, value: Any, definitions: dict[str, Schema], what: str, depth: int) -> Any:
    if key == "properties":
        return {name: _tidy(inner, definitions, what, depth) for name, inner in value.items()}
    if key in ("anyOf", "prefixItems"):
        return [_tidy(inner, definitions, what, depth) for inner in value]
    if key in ("items", "additionalProperties") and isinstance(value, dict):
        return _tidy(value, definitions, what, depth)
    return value
