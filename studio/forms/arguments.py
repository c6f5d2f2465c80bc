"""A tool's JSON schema as a tree of fields: objects as groups, arrays as items, the rest one field each.

Fields are named by their path: `arg.address.street`, `arg.items.0.sku`; `arg.items.#` counts the items.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django import forms
from pydantic import JsonValue

from studio.forms.json_text import JsonText

PREFIX = "arg."
COUNT = "#"
MOST_ITEMS = 50
DEEPEST = 5
"""Levels of nesting that become fields; what lies deeper is written as JSON."""

SCALARS: dict[str, type[forms.Field]] = {
    "integer": forms.IntegerField,
    "number": forms.FloatField,
    "string": forms.CharField,
}
Schema = Mapping[str, Any]
Given = Mapping[str, str]


@dataclass
class Node:
    """One place of the arguments.

    Attributes:
        path: Its name among the fields.
        label: The last step of the path.
        kind: A field of its own, a group of named places, or a list of items.
        required: Whether the schema asks for it.
        help_text: What it is.
        control: The field, of a leaf.
        initial: What the field contains to begin with.
        children: The places within, by name or as items.
    """

    path: str
    label: str
    kind: Literal["leaf", "object", "array"]
    required: bool
    help_text: str = ""
    control: forms.Field | None = None
    initial: Any = None
    children: list[Node] = field(default_factory=list)
    title: str = ""
    """What people call it, where that is not its label."""

    def leaves(self) -> Iterator[Node]:
        """Every field at or below this place."""
        if self.kind == "leaf":
            yield self
        for child in self.children:
            yield from child.leaves()

    def lists(self) -> Iterator[Node]:
        """Every list of items at or below this place."""
        if self.kind == "array":
            yield self
        for child in self.children:
            yield from child.lists()

    def value(self, cleaned: Mapping[str, Any]) -> Any:
        """What was filled in, or None for nothing."""
        if self.kind == "leaf":
            result = cleaned.get(self.path)
            return None if result == "" else result
        if self.kind == "array":
            values = [child.value(cleaned) for child in self.children]
            return values if values or self.required else None
        named = {child.label: child.value(cleaned) for child in self.children}
        filled = {name: value for name, value in named.items() if value is not None}
        return filled if filled or self.required else None


def tree(
    schema: Schema, *, values: Mapping[str, Any] | None = None, given: Given | None = None
) -> list[Node]:
    """The top places of a tool's arguments.

    Args:
        schema: The tool's input schema.
        values: Arguments to begin with, when nothing was sent.
        given: The fields that were sent; they say how many items each list has.
    """
    planter = _Planter(schema, given)
    return planter.named(schema, PREFIX.rstrip("."), values or {}, asked=True, depth=0)


class _Planter:
    def __init__(self, whole: Schema, given: Given | None) -> None:
        self.whole, self.given = whole, given

    def named(self, schema: Schema, path: str, values: Any, *, asked: bool, depth: int) -> list[Node]:
        properties = schema.get("properties")
        required = schema.get("required")
        names = required if isinstance(required, list) else []
        known = values if isinstance(values, dict) else {}
        return [
            self.node(
                each,
                f"{path}.{name}",
                name,
                known.get(name),
                required=name in names,
                asked=asked and name in names,
                depth=depth,
            )
            for name, each in (properties if isinstance(properties, dict) else {}).items()
        ]

    def node(
        self, schema: Any, path: str, label: str, value: Any, *, required: bool, asked: bool, depth: int
    ) -> Node:
        described = schema if isinstance(schema, dict) else {}
        kind = self._meant(described)
        words = str(described.get("description") or kind.get("description") or "")
        if depth < DEEPEST and kind.get("type") == "object" and isinstance(kind.get("properties"), dict):
            children = self.named(kind, path, value, asked=asked, depth=depth + 1)
            return Node(path, label, "object", required, words, children=children)
        if depth < DEEPEST and kind.get("type") == "array" and isinstance(kind.get("items"), dict):
            items = value if isinstance(value, list) else []
            children = [
                self.node(
                    kind["items"],
                    f"{path}.{number}",
                    f"{label} {number + 1}",
                    items[number] if number < len(items) else None,
                    required=True,
                    asked=True,
                    depth=depth + 1,
                )
                for number in range(self._count(path, len(items)))
            ]
            return Node(path, label, "array", required, words, children=children)
        result = _leaf(label, kind, words, required=asked)
        return Node(path, label, "leaf", required, words, control=result, initial=_shown(result, value))

    def _count(self, path: str, known: int) -> int:
        if self.given is None:
            return min(known, MOST_ITEMS)
        sent = self.given.get(f"{path}.{COUNT}", "0")
        return min(int(sent), MOST_ITEMS) if sent.isdecimal() and len(sent) < 4 else 0

    def _meant(self, schema: Schema) -> Schema:
        """The one schema behind a reference or an "or nothing"; {} where several are allowed."""
        options = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
        results: Any = options[0] if len(options) == 1 else {}
        for _ in range(DEEPEST):
            step = results.get("$ref", "") if isinstance(results, dict) else ""
            if not step.startswith("#/$defs/"):
                break
            results = self.whole.get("$defs", {}).get(step.removeprefix("#/$defs/"), {})
        return results if isinstance(results, dict) else {}


def _leaf(label: str, kind: Schema, help_text: str, *, required: bool) -> forms.Field:
    common: dict[str, Any] = {"label": label, "required": required, "help_text": help_text}
    options = kind.get("enum") or ([kind["const"]] if "const" in kind else None)
    if options:
        choices = [("", "–"), *[(json.dumps(value), str(value)) for value in options]]
        return forms.TypedChoiceField(choices=choices, coerce=json.loads, empty_value=None, **common)
    if kind.get("type") == "boolean":
        choices = [("", "–"), ("true", "true"), ("false", "false")]
        return forms.TypedChoiceField(choices=choices, coerce=json.loads, empty_value=None, **common)
    if kind.get("type") in SCALARS:
        return SCALARS[kind["type"]](**common)
    return JsonText(
        **common, widget=forms.Textarea(attrs={"rows": 3, "class": "mono", "spellcheck": "false"})
    )


def _shown(result: forms.Field, value: Any) -> Any:
    """A value as the text of its field: choices and free JSON are written as JSON."""
    if value is None:
        return None
    as_json = isinstance(result, forms.TypedChoiceField | JsonText) or isinstance(value, dict | list | bool)
    return json.dumps(value, ensure_ascii=False) if as_json else value


def with_item(given: Mapping[str, str], path: str) -> dict[str, str]:
    """The fields that were sent, with one more item at the end of a list."""
    count = given.get(f"{path}.{COUNT}", "0")
    return {**given, f"{path}.{COUNT}": str(int(count) + 1 if count.isdecimal() and len(count) < 4 else 1)}


def without_item(given: Mapping[str, str], path: str) -> dict[str, str]:
    """The fields that were sent, without the item of that path; later ones move up."""
    owner, _, place = path.rpartition(".")
    count = given.get(f"{owner}.{COUNT}", "0")
    if not all(each.isdecimal() and len(each) < 4 for each in (place, count)) or int(place) >= int(count):
        return dict(given)
    gone = int(place)
    entries: dict[str, str] = {}
    for name, value in given.items():
        head, _, rest = name.removeprefix(f"{owner}.").partition(".")
        if not name.startswith(f"{owner}.") or not (head.isdecimal() and len(head) < 4):
            entries[name] = value
        elif int(head) != gone:
            number = int(head) - (int(head) > gone)
            entries[f"{owner}.{number}" + (f".{rest}" if rest else "")] = value
    entries[f"{owner}.{COUNT}"] = str(int(count) - 1)
    return entries


def as_arguments(nodes: list[Node], cleaned: Mapping[str, Any]) -> dict[str, JsonValue]:
    """The arguments that fields come to; empty optional ones are left out."""
    results = {node.label: node.value(cleaned) for node in nodes}
    return {name: value for name, value in results.items() if value is not None}
