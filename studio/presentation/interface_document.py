"""The HTTP interface for people: its OpenAPI document as operations by noun, each with one command line."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

JsonSchema = Mapping[str, Any]
"""A JSON schema as OpenAPI documents have it."""

KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}
_REFERENCE = "#/components/schemas/"
_DIGEST = "^[0-9a-f]{64}$"
_EXAMPLES = {"string": "text", "integer": 1, "number": 1.0, "boolean": False, "object": {}, "null": None}
_BOUNDS = {"minimum": "at least", "maximum": "at most", "maxLength": "characters at most"}


@dataclass(frozen=True)
class InterfaceKind:
    """What a value is, in words, with the shapes it is made of."""

    text: str
    shapes: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    """What it can be, where it is one of a few."""


@dataclass(frozen=True)
class InterfaceField:
    """One named value that is taken or answered."""

    name: str
    place: str
    """Where a request has it: "path", "query", "body"; "" within answers and shapes."""
    kind: InterfaceKind
    required: bool
    meaning: str


@dataclass(frozen=True)
class InterfaceAnswer:
    """What one status means, and what comes with it."""

    status: str
    meaning: str
    kind: InterfaceKind | None


@dataclass(frozen=True)
class CallableOperation:
    """One thing that a program can ask for.

    Attributes:
        anchor: Its place on the page.
        method: "GET", "POST" ...
        path: The address below the studio's, with names in braces.
        summary: What it does.
        details: What else is to be known; may be "".
        fields: What it takes.
        answers: What it gives where it succeeds.
        failures: The other statuses.
        command: One command line that asks for it.
    """

    anchor: str
    method: str
    path: str
    summary: str
    details: str
    fields: tuple[InterfaceField, ...]
    answers: tuple[InterfaceAnswer, ...]
    failures: tuple[InterfaceAnswer, ...]
    command: str


@dataclass(frozen=True)
class InterfaceShape:
    """A named object that operations take or answer."""

    name: str
    meaning: str
    fields: tuple[InterfaceField, ...]
    values: tuple[str, ...]


@dataclass(frozen=True)
class InterfaceDocument:
    """All operations by noun, and the shapes that they speak of."""

    nouns: tuple[tuple[str, tuple[CallableOperation, ...]], ...]
    shapes: tuple[InterfaceShape, ...]


def read_document(document: Mapping[str, Any], address: str) -> InterfaceDocument:
    """An OpenAPI document for people.

    Args:
        document: As the interface writes it.
        address: Where the studio answers, without a slash at the end.
    """
    shapes: Mapping[str, JsonSchema] = document["components"]["schemas"]
    nouns: dict[str, list[CallableOperation]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            noun = (operation.get("tags") or ["others"])[0]
            nouns.setdefault(noun, []).append(_operation(path, method, operation, shapes, address))
    return InterfaceDocument(
        tuple((noun, tuple(each)) for noun, each in nouns.items()),
        tuple(_shape(name, schema) for name, schema in sorted(shapes.items())),
    )


def kind_of(schema: JsonSchema) -> InterfaceKind:
    """What values of a schema are: "list of text", "whole number or null"."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        return InterfaceKind(name, (name,))
    for joined in ("anyOf", "oneOf", "allOf"):
        if joined in schema:
            return _either(kind_of(each) for each in schema[joined])
    if "const" in schema or "enum" in schema:
        values = tuple(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
        return InterfaceKind("one of" if len(values) > 1 else "only", values=values)
    if schema.get("type") == "array":
        inner = kind_of(schema.get("items", {}))
        return InterfaceKind(f"list of {inner.text}", inner.shapes, inner.values)
    if schema.get("format") == "binary":
        return InterfaceKind("file")
    return InterfaceKind(KINDS.get(schema.get("type", ""), "any value") + _bounds(schema))


def example(schema: JsonSchema, shapes: Mapping[str, JsonSchema]) -> Any:
    """A value that a schema allows, as small as it can be."""
    if "$ref" in schema:
        return example(shapes[schema["$ref"].removeprefix(_REFERENCE)], shapes)
    for joined in ("anyOf", "oneOf", "allOf"):
        if joined in schema:
            return example(schema[joined][0], shapes)
    if "const" in schema or "enum" in schema:
        return schema.get("enum", [schema.get("const")])[0]
    if schema.get("type") == "array":
        return [example(schema.get("items", {}), shapes)] * max(1, schema.get("minItems", 0))
    if "properties" in schema:
        wanted = schema.get("required", ())
        return {name: example(schema["properties"][name], shapes) for name in wanted}
    return _plain_example(schema, shapes)


def _plain_example(schema: JsonSchema, shapes: Mapping[str, JsonSchema]) -> Any:
    if schema.get("minProperties") and "patternProperties" in schema:
        return {"name": example(next(iter(schema["patternProperties"].values())), shapes)}
    if schema.get("pattern") == _DIGEST:
        return "0" * 64
    return schema.get("minimum", _EXAMPLES.get(schema.get("type", ""), {}))


def _either(kinds: Iterable[InterfaceKind]) -> InterfaceKind:
    every = list(kinds)
    return InterfaceKind(
        " or ".join(dict.fromkeys(kind.text for kind in every)),
        tuple(dict.fromkeys(shape for kind in every for shape in kind.shapes)),
        tuple(value for kind in every for value in kind.values),
    )


def _bounds(schema: JsonSchema) -> str:
    words = [f"{word} {schema[name]:,}" for name, word in _BOUNDS.items() if name in schema]
    return f", {', '.join(words)}" if words else ""


def _shape(name: str, schema: JsonSchema) -> InterfaceShape:
    values = tuple(json.dumps(value) for value in schema.get("enum", ()))
    return InterfaceShape(name, _first_lines(schema), tuple(_fields(schema, "")), values)


def _fields(schema: JsonSchema, place: str) -> Iterator[InterfaceField]:
    required = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        yield InterfaceField(name, place, kind_of(inner), name in required, _first_lines(inner))


def _first_lines(schema: JsonSchema) -> str:
    return " ".join(str(schema.get("description", "")).partition("\n\n")[0].split())


def _operation(
    path: str, method: str, operation: Mapping[str, Any], shapes: Mapping[str, JsonSchema], address: str
) -> CallableOperation:
    parameters = [
        InterfaceField(
            each["name"],
            each["in"],
            kind_of(each["schema"]),
            each.get("required", False),
            _first_lines(each["schema"]),
        )
        for each in operation.get("parameters", ())
    ]
    answers = [_answer(status, each) for status, each in operation["responses"].items()]
    taken = dict(_bodies(operation, shapes))
    return CallableOperation(
        anchor=operation["operationId"].removeprefix("studio_api_"),
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        details=operation.get("description", ""),
        fields=(*parameters, *(field for schema in taken.values() for field in _fields(schema, "body"))),
        answers=tuple(each for each in answers if int(each.status) < 400),
        failures=tuple(each for each in answers if int(each.status) >= 400),
        command=_command(path, method, operation.get("parameters", ()), taken, shapes, address),
    )


def _answer(status: str | int, answer: Mapping[str, Any]) -> InterfaceAnswer:
    content: Mapping[str, Any] = next(iter(answer.get("content", {}).values()), {})
    kind = kind_of(content["schema"]) if "schema" in content else None
    return InterfaceAnswer(str(status), answer.get("description", ""), kind)


def _bodies(
    operation: Mapping[str, Any], shapes: Mapping[str, JsonSchema]
) -> Iterator[tuple[str, JsonSchema]]:
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = content["schema"]
        name = schema.get("$ref", "").removeprefix(_REFERENCE)
        yield kind, shapes.get(name, schema)


def _command(
    path: str,
    method: str,
    parameters: Iterable[Mapping[str, Any]],
    taken: Mapping[str, JsonSchema],
    shapes: Mapping[str, JsonSchema],
    address: str,
) -> str:
    """One line for a shell: names in capitals are to be filled in, a body holds what is required."""
    place = path
    for each in parameters:
        place = place.replace(f"{{{each['name']}}}", each["name"].upper())
    required = [each["name"] for each in parameters if each["in"] == "query" and each.get("required")]
    if required:
        place += "?" + "&".join(f"{name}={name.upper()}" for name in required)
    words = ["curl", '-H "Authorization: Bearer $TOKEN"']
    words += [] if method == "get" else [f"-X {method.upper()}"]
    if "application/json" in taken:
        body = json.dumps(example(taken["application/json"], shapes), ensure_ascii=False)
        words += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(body)}"]
    for name in taken.get("multipart/form-data", {}).get("properties", {}):
        words.append(f"-F {name}=@{name.upper()}")
    return " ".join([*words, shlex.quote(address + place)])
