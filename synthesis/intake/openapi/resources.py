"""Api resources: the operations of an API, gathered by what they are about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from synthesis.intake.notes import Notes
from synthesis.intake.openapi.document import ApiDocument, Node

_VERSION = re.compile(r"v\d+(\.\d+)*|api|rest|public|internal")
_ENVELOPES = ("data", "items", "results", "content", "records", "value", "values", "list", "rows", "entries")
_NO_RECORD = re.compile(
    r"(error|problem|pagination|page ?info|meta|link|links|status|health|version)s?$", re.IGNORECASE
)


@dataclass(slots=True)
class Resource:
    """One collection of records.

    Attributes:
        name: The path's last plain segment, for example `pets`.
        schemas: The schemas of its records as they stand in responses, then in requests.
        key: The path parameter that names one record; empty where there is none.
        parent: Name of the resource in whose path it lies.
        parameters: Query parameters of its list, by name.
        actions: Operations that are neither reading, adding, changing nor removing a record.
    """

    name: str
    schemas: list[object] = field(default_factory=list)
    key: str = ""
    parent: str = ""
    parameters: dict[str, Node] = field(default_factory=dict)
    actions: list[str] = field(default_factory=list)


def resources(document: ApiDocument, notes: Notes) -> list[Resource]:
    """The resources in the order of their paths, each with what is known of its records."""
    results: dict[str, Resource] = {}
    requests: list[tuple[Resource, object]] = []
    paths = {path for path, _, _ in document.operations()}
    for path, method, operation in document.operations():
        segments = [part for part in path.split("/") if part and not _VERSION.fullmatch(part.lower())]
        plain = [part for part in segments if not part.startswith("{")]
        if not plain:
            notes.add(
                "operations_are_not_converted", f"{method.upper()} {path}: it names no resource.", where=path
            )
            continue
        if _is_action(path, segments, method, paths):
            owner = results.setdefault(plain[-2] if len(plain) > 1 else plain[-1], Resource(plain[0]))
            owner.actions.append(f"{method.upper()} {path}")
            continue
        resource = results.setdefault(plain[-1], Resource(plain[-1]))
        resource.parent = resource.parent or (plain[-2] if len(plain) > 1 else "")
        if segments[-1].startswith("{"):
            resource.key = resource.key or segments[-1].strip("{}")
        _take(document, resource, method, operation, requests)
    for resource, schema in requests:
        resource.schemas.append(schema)
    for name, resource in results.items():
        resource.name = name
    return list(results.values())


def _take(
    document: ApiDocument,
    resource: Resource,
    method: str,
    operation: Node,
    requests: list[tuple[Resource, object]],
) -> None:
    responses = operation.get("responses")
    for status, response in (responses if isinstance(responses, dict) else {}).items():
        schema = document.body(response) if str(status).startswith("2") else None
        record = _record(document, schema) if schema is not None else None
        if record is not None:
            resource.schemas.append(record)
    request = document.body(operation.get("requestBody")) if method in ("post", "put", "patch") else None
    if request is not None and (record := _record(document, request)) is not None:
        requests.append((resource, record))
    for raw in operation["parameters"]:
        parameter = document.resolved(raw)
        if parameter.get("in") == "query" and isinstance(parameter.get("name"), str) and method == "get":
            resource.parameters[parameter["name"]] = document.resolved(parameter.get("schema"))


def _is_action(path: str, segments: list[str], method: str, paths: set[str]) -> bool:
    """A verb behind one record, for example `POST /orders/{id}/cancel`."""
    if method != "post" or segments[-1].startswith("{") or len(segments) < 2:
        return False
    behind = any(other.startswith(f"{path.rstrip('/')}/{{") for other in paths)
    singular = not segments[-1].endswith("s")
    return segments[-2].startswith("{") and not behind and singular


def _record(document: ApiDocument, schema: object) -> object | None:
    """The schema of one record within a list or an envelope."""
    for _ in range(4):
        whole = document.whole(schema)
        if "items" in whole:
            schema = whole["items"]
            continue
        properties = whole.get("properties")
        if not isinstance(properties, dict):
            return None
        inner = next(
            (properties[name] for name in _ENVELOPES if _is_records(document, properties, name)), None
        )
        if inner is None:
            return None if _NO_RECORD.search(document.name_of(schema)) else schema
        schema = inner
    return None


def _is_records(document: ApiDocument, properties: Node, name: str) -> bool:
    if name not in properties:
        return False
    whole = document.whole(properties[name])
    return "items" in whole or (name == "data" and "properties" in whole)
