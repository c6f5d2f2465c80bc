"""Operations: the routes of an OpenAPI document as tools, and a tool's arguments as a request.

Names and shapes are those of fastapi-mcp, through which agents see such applications elsewhere: a tool is
named by its operation id, and its parameters are those of path, query and body side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import orjson

Schema = dict[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")
_DEEPEST = 6
"""Nesting of schemas that refer to each other; deeper is any object."""
_BODY = "body"
_DROPPED = frozenset({"title", "example", "examples", "contentMediaType", "format", "deprecated"})


@dataclass(frozen=True)
class HttpOperation:
    """One route."""

    name: str
    method: str
    path: str
    parameters: Mapping[str, str]
    """Where each parameter goes: "path", "query", "header" or "cookie"."""
    whole_body: str
    """Name of the parameter that is the whole body, where the body is no object; empty otherwise."""

    def request(self, arguments: dict[str, Any]) -> tuple[str, str, bytes, bytes]:
        """Method, path, query string and body of a call."""
        path, query, body = self.path, list[tuple[str, str]](), dict[str, Any]()
        for name, value in arguments.items():
            place = self.parameters.get(name, "body")
            if place == "path":
                path = path.replace(f"{{{name}}}", quote(_text(value), safe=""))
            elif place == "query":
                values = value if isinstance(value, list) else [value]
                query += [(name, _text(each)) for each in values if each is not None]
            elif place == "body":
                body[name] = value
        sent = body.get(self.whole_body) if self.whole_body else body
        has_body = self.method != "get" and bool(sent or self.whole_body)
        encoded = orjson.dumps(sent) if has_body else b""
        return self.method.upper(), path, urlencode(query).encode(), encoded


def operations(document: Mapping[str, Any]) -> Iterator[tuple[HttpOperation, Schema]]:
    """The operations of an OpenAPI document that have an id, in its order, each with its tool's fields."""
    schemas = document.get("components", {}).get("schemas", {})
    for path, methods in document.get("paths", {}).items():
        for method, entry in methods.items():
            if method in METHODS and entry.get("operationId"):
                yield _operation(path, method, entry, schemas)


def _operation(
    path: str, method: str, entry: Mapping[str, Any], schemas: Mapping[str, Any]
) -> tuple[HttpOperation, Schema]:
    properties, required, whole = _body(entry.get("requestBody", {}), schemas)
    parameters = entry.get("parameters", [])
    for parameter in parameters:
        described = {"description": parameter["description"]} if parameter.get("description") else {}
        properties[parameter["name"]] = {**_plain(parameter.get("schema", {}), schemas), **described}
        required += [parameter["name"]] if parameter.get("required") else []
    name: str = entry["operationId"]
    texts = (entry.get("summary"), entry.get("description"))
    tool = {
        "name": name,
        "description": "\n\n".join(dict.fromkeys(text.strip() for text in texts if text)),
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": list(dict.fromkeys(required)),
            "additionalProperties": False,
        },
    }
    places = {parameter["name"]: parameter["in"] for parameter in parameters}
    return HttpOperation(name, method, path, places, whole), tool


def _body(body: Mapping[str, Any], schemas: Mapping[str, Any]) -> tuple[dict[str, Schema], list[str], str]:
    """Properties, the required ones, and the parameter that is all of a body that is no object."""
    content = body.get("content", {}).get("application/json", {}).get("schema")
    if content is None:
        return {}, [], ""
    shape = _plain(content, schemas)
    required = bool(body.get("required"))
    if "properties" in shape:
        return dict(shape["properties"]), list(shape.get("required", ())) if required else [], ""
    return {_BODY: shape}, [_BODY] if required else [], _BODY


def _plain(schema: Any, schemas: Mapping[str, Any], depth: int = 0) -> Any:
    """A schema without references and without `null` beside another type, which clients read badly."""
    if not isinstance(schema, dict):
        return schema
    if depth > _DEEPEST:
        return {"type": "object"}
    if reference := schema.get("$ref"):
        return _plain(schemas.get(reference.rpartition("/")[2], {}), schemas, depth + 1)
    if options := schema.get("anyOf"):
        kinds = [option for option in options if option != {"type": "null"}]
        if len(kinds) == 1:
            rest = {key: value for key, value in schema.items() if key != "anyOf"}
            return _plain({**kinds[0], **rest}, schemas, depth + 1)
    return {key: _inner(key, value, schemas, depth) for key, value in schema.items() if key not in _DROPPED}


def _inner(key: str, value: Any, schemas: Mapping[str, Any], depth: int) -> Any:
    if key == "properties":
        return {name: _plain(each, schemas, depth + 1) for name, each in value.items()}
    if key in ("anyOf", "allOf", "oneOf", "prefixItems"):
        return [_plain(each, schemas, depth + 1) for each in value]
    return _plain(value, schemas, depth + 1) if key in ("items", "additionalProperties") else value


def _text(value: Any) -> str:
    """A value as httpx writes it into an address."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
