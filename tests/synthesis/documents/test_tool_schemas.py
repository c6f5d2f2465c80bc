from __future__ import annotations

from typing import Any

import pytest

from synthesis.documents.answer_form import PARAMETERS
from synthesis.documents.environment import Environment
from synthesis.documents.tool_schemas import plain_schema, strict_schema
from synthesis.errors import InvalidInput

NULLABLE = {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}], "description": "D."}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "description": "A."},
        "kind": {**NULLABLE, "default": None},
        "known": NULLABLE,
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}], "default": None},
        "limit": {"type": "integer", "minimum": 1, "default": 20},
        "texts": {"type": "array", "items": {"type": "string", "maxLength": 5}, "default": []},
    },
    "required": ["id", "known"],
    "additionalProperties": False,
}


def test_an_optional_parameter_that_may_be_null_is_shown_with_its_type_alone() -> None:
    properties: Any = plain_schema(SCHEMA)["properties"]
    assert properties["kind"] == {"type": "string", "enum": ["a", "b"], "description": "D."}
    assert properties["known"] == NULLABLE, "null means something where it is required"
    assert properties["either"] == SCHEMA["properties"]["either"]
    assert properties["limit"] == SCHEMA["properties"]["limit"]


def test_in_strict_mode_everything_is_required_and_what_was_optional_may_be_null() -> None:
    schema: Any = strict_schema(SCHEMA)
    assert schema["required"] == list(SCHEMA["properties"])
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert properties["id"] == SCHEMA["properties"]["id"]
    assert properties["kind"] == NULLABLE
    assert properties["limit"] == {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}
    assert properties["texts"]["anyOf"][0]["items"] == {"type": "string"}
    assert [option["type"] for option in properties["either"]["anyOf"]] == ["string", "integer", "null"]


def test_every_tool_of_the_clinic_has_a_strict_form(clinic: Environment) -> None:
    def check(rule: Any) -> None:
        assert "default" not in rule
        for option in rule.get("anyOf", ()):
            check(option)
        if rule.get("type") == "object":
            assert sorted(rule["required"]) == sorted(rule["properties"])
            assert rule["additionalProperties"] is False
            for inner in rule["properties"].values():
                check(inner)

    for tool in clinic.tools.tools:
        check(strict_schema(tool.input_schema))


@pytest.mark.parametrize(
    "schema",
    [
        PARAMETERS,
        {"type": "object", "properties": {"x": {"type": "object"}}},
        {"type": "object", "properties": {"x": {}}},
        {"type": "object", "properties": {"x": {"type": "array"}}},
    ],
)
def test_what_strict_mode_cannot_express_is_named(schema: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="Strict mode"):
        strict_schema(schema)
