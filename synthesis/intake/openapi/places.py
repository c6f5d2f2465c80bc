"""Api places: line and column of what an OpenAPI file declares, so that findings can say where to look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import yaml

from synthesis.intake.notes import Notes
from synthesis.intake.openapi.tables import snake

_METHODS = frozenset({"get", "post", "put", "patch", "delete"})


def mark_places(text: str, tables: Mapping[str, str], notes: Notes) -> None:
    """Mark where operations, component schemas and their properties stand.

    Args:
        text: The file's text; YAML reads JSON as well. What it cannot read is not marked.
        tables: Component schemas by name, to the tables they became.
        notes: Where the places are marked.
    """
    try:
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    _mark_operations(_child(root, "paths"), notes)
    components = _child(root, "components")
    for key, _ in _pairs(components):
        _mark(f"components.{key.value}", key, notes)
    for key, schema in _pairs(_child(components, "schemas")):
        _mark(f"#/components/schemas/{key.value}", key, notes)
        if key.value in tables:
            _mark(tables[key.value], key, notes)
            _mark_properties(tables[key.value], schema, notes)
    for key, _ in _pairs(root):
        _mark(str(key.value), key, notes)


def _mark_operations(paths: yaml.Node | None, notes: Notes) -> None:
    for path, item in _pairs(paths):
        _mark(str(path.value), path, notes)
        for method, _ in _pairs(item):
            if method.value in _METHODS:
                _mark(f"{method.value.upper()} {path.value}", method, notes)


def _mark_properties(table: str, schema: yaml.Node, notes: Notes) -> None:
    parts = _child(schema, "allOf")
    members = parts.value if isinstance(parts, yaml.SequenceNode) else []
    for one in [schema, *members]:
        for key, _ in _pairs(_child(one, "properties")):
            _mark(f"{table}.{key.value}", key, notes)
            _mark(f"{table}.{snake(str(key.value))}", key, notes)


def _mark(where: str, node: yaml.Node, notes: Notes) -> None:
    notes.mark(where, (node.start_mark.line + 1, node.start_mark.column + 1))


def _pairs(node: yaml.Node | None) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if isinstance(key, yaml.ScalarNode):
            yield key, value


def _child(node: yaml.Node | None, name: str) -> yaml.Node | None:
    return next((value for key, value in _pairs(node) if key.value == name), None)
