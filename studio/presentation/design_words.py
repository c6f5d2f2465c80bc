"""The design of a world for people who look at no code: columns of tables, and what tools ask for."""

from __future__ import annotations

from typing import Any

from studio.forms.dictionaries import format_words
from studio.presentation.plain_language import PlainLanguage
from studio.services.environments.dictionaries import choice_words
from synthesis.documents.schema import Schema
from synthesis.documents.tools import Tool

PLAIN_TYPES = {"integer": "a number", "number": "a number", "text": "text", "boolean": "yes or no"}


def columns_in_words(schema: Schema, words: PlainLanguage) -> dict[str, list[dict[str, str]]]:
    """By table its columns in plain language, without keys that only tell rows apart."""
    results: dict[str, list[dict[str, str]]] = {}
    for table in schema.tables:
        refers = {name: key.table for key in table.foreign_keys for name in key.columns}
        results[table.name] = [
            {
                "title": words.column(table.name, column.name),
                "holds": format_words(words.format_of(table.name, column.name)),
                "refers": refers.get(column.name, ""),
                "required": "yes" if column.not_null or column.generated else "",
            }
            for column in table.columns
            if column.name in refers or not column.primary_key or len(table.primary_key) > 1
        ]
    return results


def parameters_in_words(tool: Tool, words: PlainLanguage) -> list[dict[str, Any]]:
    """The parameters of a tool for people: name, type, whether required, what it is."""
    properties = tool.input_schema.get("properties")
    required = tool.input_schema.get("required")
    if not isinstance(properties, dict):
        return []
    return [
        {
            "name": name,
            "title": words.argument_title(name),
            "type": type_words(value),
            "holds": words.argument_kind(name) or _plain_type(value),
            "required": isinstance(required, list) and name in required,
            "description": value.get("description", "") if isinstance(value, dict) else "",
            "default": value.get("default") if isinstance(value, dict) and "default" in value else None,
        }
        for name, value in properties.items()
    ]


def _plain_type(schema: Any) -> str:
    """A JSON schema as people say it: "a number", "one of: open, on duty"."""
    if isinstance(schema, dict) and "enum" in schema:
        return f"one of: {', '.join(choice_words(str(value)) for value in schema['enum'])}"
    kinds = schema.get("anyOf", [schema]) if isinstance(schema, dict) else [schema]
    given = [each for each in kinds if not (isinstance(each, dict) and each.get("type") == "null")]
    if len(given) == 1 and given != [schema]:
        return _plain_type(given[0])
    return PLAIN_TYPES.get(type_words(schema), type_words(schema))


def type_words(schema: Any) -> str:
    """A JSON schema as a few words: "integer", "list of text", "one of 'open', 'paid'"."""
    if not isinstance(schema, dict):
        return "anything"
    if "enum" in schema:
        return "one of " + ", ".join(repr(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(type_words(option) for option in schema["anyOf"]))
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {type_words(schema.get('items'))}"
    return {"string": "text", "null": "nothing", "number": "number"}.get(kind, str(kind))
