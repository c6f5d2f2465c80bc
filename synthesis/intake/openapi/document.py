"""Api document: an OpenAPI file's tree, with its references followed inside the file and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from synthesis.intake.notes import Notes

Node = dict[str, Any]
_MERGED = ("properties", "required")
_DEEPEST = 60


class ApiDocument:
    """A loaded OpenAPI file.

    Args:
        root: Its tree.
        notes: Where references that cannot be followed are told.
    """

    def __init__(self, root: Node, notes: Notes) -> None:
        self.root, self._notes = root, notes

    @property
    def schemas(self) -> Node:
        """The component schemas by name."""
        components = self.root.get("components")
        schemas = components.get("schemas") if isinstance(components, dict) else None
        return schemas if isinstance(schemas, dict) else {}

    def name_of(self, node: object) -> str:
        """The component schema that a node is, or in the end refers to; empty where it is none."""
        seen: set[str] = set()
        name = ""
        while isinstance(node, dict) and isinstance(node.get("$ref"), str) and node["$ref"] not in seen:
            pointer = node["$ref"]
            seen.add(pointer)
            name = unquote(pointer.rpartition("/")[2]) if pointer.startswith("#/components/schemas/") else ""
            node = self._at(pointer)
        return name

    def resolved(self, node: object) -> Node:
        """What a node refers to; empty for what cannot be followed."""
        seen: set[str] = set()
        while isinstance(node, dict) and isinstance(node.get("$ref"), str):
            pointer = node["$ref"]
            if pointer in seen:
                self._notes.add(
                    "references_come_to_an_end", f"{pointer} refers to itself and is left out.", where=pointer
                )
                return {}
            seen.add(pointer)
            node = self._at(pointer)
        return node if isinstance(node, dict) else {}

    def whole(self, node: object, trail: tuple[int, ...] = ()) -> Node:
        """A schema with what it is composed of (allOf) merged into it, and a choice with null as nullable."""
        schema = self.resolved(node)
        if id(schema) in trail or len(trail) > _DEEPEST:
            return {}
        trail = (*trail, id(schema))
        merged: Node = {key: value for key, value in schema.items() if key not in ("allOf", *_MERGED)}
        properties: Node = {}
        required: list[str] = []
        for part in [*listed(schema.get("allOf")), None]:
            one = self.whole(part, trail) if part is not None else schema
            if part is not None:
                merged = {**one, **merged}
            if isinstance(one.get("properties"), dict):
                properties.update(one["properties"])
            required += [name for name in listed(one.get("required")) if isinstance(name, str)]
        merged.pop("required", None)
        if properties:
            merged["properties"] = properties
        return {**merged, "required": sorted(set(required))} if required else merged

    def operations(self) -> Iterator[tuple[str, str, Node]]:
        """Every operation: its path, its method and its tree, with the path's own parameters in it."""
        paths = self.root.get("paths")
        for path, raw in (paths if isinstance(paths, dict) else {}).items():
            item = self.resolved(raw)
            shared = listed(item.get("parameters"))
            for method in ("get", "post", "put", "patch", "delete"):
                operation = item.get(method)
                if isinstance(operation, dict):
                    own = listed(operation.get("parameters"))
                    yield str(path), method, {**operation, "parameters": [*shared, *own]}

    def body(self, node: object) -> object | None:
        """The schema of a request's or response's JSON content, as it is written."""
        content = self.resolved(node).get("content")
        if not isinstance(content, dict):
            return None
        kinds = sorted(content, key=lambda kind: "json" not in kind)
        chosen = content[kinds[0]] if kinds else None
        return chosen.get("schema") if isinstance(chosen, dict) else None

    def _at(self, pointer: str) -> object:
        if not pointer.startswith("#/"):
            self._notes.add(
                "remote_references_are_not_followed",
                f"{pointer[:200]} lies outside the file and is left out; bundle the file into one first.",
                where=pointer[:200],
            )
            return None
        node: object = self.root
        for part in pointer[2:].split("/"):
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            node = node.get(key) if isinstance(node, dict) else None
        if node is None:
            message = f"{pointer[:200]} does not exist in the file."
            self._notes.add("references_name_something", message, where=pointer[:200])
        return node


def listed(value: object) -> list[Any]:
    """A list as it is, and nothing for anything else."""
    return value if isinstance(value, list) else []
