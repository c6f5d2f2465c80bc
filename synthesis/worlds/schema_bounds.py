"""Schema bounds: whether a tool's schema lets values be made and checked at little cost.

The service makes and checks arguments from what an author declares, outside the sealed process, so no
declaration may ask for gigabytes or hours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from synthesis.worlds.arguments import MAX_TEXT
from synthesis.worlds.limits import Limits
from synthesis.worlds.text_patterns import UnfitPattern, check_pattern

_MOST = Limits().max_argument_bytes
_DEEPEST = Limits().max_depth


def unbounded(input_schema: Mapping[str, Any]) -> Iterator[str]:
    """What is too much in a tool's parameters, each as the rest of a sentence that begins with the tool."""
    for name, schema in input_schema.get("properties", {}).items():
        try:
            yield from (f"parameter {name}: {words}" for words in _faults(schema, 0))
            if (size := _size(schema)) > _MOST:
                yield (
                    f"parameter {name}: the least value with all its parts holds {size:,} characters and "
                    f"values, and no argument may hold more than {_MOST:,}; lower min_length, minimum counts "
                    "or nesting"
                )
        except _TooDeep:
            yield f"parameter {name}: its type is nested deeper than {_DEEPEST} levels"


class _TooDeep(Exception):
    """A schema is nested too deep."""


def _faults(schema: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise _TooDeep
    if not isinstance(schema, Mapping):
        return
    least = schema.get("minLength", 0)
    if least > MAX_TEXT:
        yield f"min_length {least:,} is more than the {MAX_TEXT:,} characters that a text may have"
    if "pattern" in schema:
        try:
            check_pattern(schema["pattern"])
        except UnfitPattern as error:
            yield f"its pattern {schema['pattern']!r:.100} {error}"
    for inner in _inner(schema):
        yield from _faults(inner, depth + 1)


def _inner(schema: Mapping[str, Any]) -> Iterator[Any]:
    yield from schema.get("anyOf", ())
    yield from schema.get("prefixItems", ())
    yield from schema.get("properties", {}).values()
    yield from (schema[key] for key in ("items", "additionalProperties") if key in schema)


def _size(schema: Any) -> int:
    """Characters and values of the least value in which nothing optional is left out.

    The schema is no deeper than `_faults` allows.
    """
    if not isinstance(schema, Mapping):
        return 1
    if options := schema.get("anyOf"):
        return max(_size(option) for option in options)
    if "enum" in schema or "const" in schema:
        return 1
    parts = [*schema.get("properties", {}).values(), *schema.get("prefixItems", ())]
    items: int = max(1, schema.get("minItems", 1), schema.get("minProperties", 1))
    repeated = items * _size(schema["items"]) if schema.get("items") else items
    least: int = schema.get("minLength", 1)
    return max(least, repeated + sum(_size(part) for part in parts))
