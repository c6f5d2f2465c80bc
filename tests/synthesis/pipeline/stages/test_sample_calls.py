"""Arguments for a tool from its schema."""

import jsonschema
import pytest

from synthesis.pipeline.stages.sample_calls import ABSENT_ID, sample_calls


def test_plain_arguments_come_first_and_awkward_ones_one_at_a_time():
    schema = {
        "properties": {"id": {"type": "integer"}, "note": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "required": ["id"],
    }
    calls = list(sample_calls(schema))
    assert calls[0] == {"id": 1}
    assert {"id": ABSENT_ID} in calls
    assert {"id": 1, "note": ""} in calls


def test_enums_references_and_bounds_are_kept():
    schema = {
        "$defs": {"Kind": {"enum": ["a", "b"]}},
        "properties": {
            "kind": {"$ref": "#/$defs/Kind"},
            "limit": {"type": "integer", "minimum": 5},
            "ids": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
        },
        "required": ["kind", "limit", "ids"],
    }
    calls = list(sample_calls(schema))
    assert calls[0] == {"kind": "a", "limit": 5, "ids": [1, 1]}
    assert {**calls[0], "kind": "b"} in calls


def test_a_tool_without_parameters_is_called_without_any():
    assert list(sample_calls({"type": "object"})) == [{}]


@pytest.mark.parametrize("number", range(28))
def test_plain_arguments_fit_the_schema_of_real_tools(clinic, number):
    tool = clinic.tools.tools[number]
    jsonschema.validate(next(iter(sample_calls(tool.input_schema))), tool.input_schema)
