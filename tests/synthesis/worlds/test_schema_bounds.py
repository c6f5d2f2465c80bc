"""What an author's declarations may cost the service."""

from __future__ import annotations

import random
from datetime import datetime
from typing import Any

import pytest

from synthesis.documents.tools import Tool
from synthesis.errors import BrokenEnvironment
from synthesis.pipeline.stages.sample_calls import sample_calls
from synthesis.verification.argument_values import ArgumentValues
from synthesis.worlds.schema_bounds import unbounded
from synthesis.worlds.toolset import read_toolset

TOOL = '''
import re
from typing import Annotated

from pydantic import Field


def look(db, code: {type}) -> dict:
    """Look.

    Args:
        code: Which.
    """
    return {{}}
'''


def tool(type: str) -> Tool:
    return read_toolset(TOOL.format(type=type)).tools[0]


@pytest.mark.parametrize(
    ("type", "words"),
    [
        (
            "Annotated[str, Field(min_length=3_000_000_000)]",
            "min_length 3,000,000,000 is more than the 20,000",
        ),
        ("Annotated[str, Field(pattern='(?=a)a')]", "look-around"),
        ("Annotated[str, Field(pattern=re.compile('(?=a)a'))]", "look-around"),
        (r"Annotated[str, Field(pattern='(a)\\1')]", "backreferences"),
        ("Annotated[str, Field(pattern='(a{100}){900}')]", "90000 parts"),
        ("Annotated[list[int], Field(min_length=10**9)]", "holds 1,000,000,000 characters and values"),
        (
            "Annotated[list[Annotated[list[int], Field(min_length=1000)]], Field(min_length=1000)]",
            "holds 1,000,000 characters and values",
        ),
        ("Annotated[list[int], Field(min_length=10**9)] | None", "holds 1,000,000,000"),
        ("list[Annotated[str, Field(min_length=10**7)]]", "min_length 10,000,000"),
    ],
)
def test_what_costs_too_much_is_refused_at_load_with_tool_and_parameter(type: str, words: str) -> None:
    with pytest.raises(BrokenEnvironment, match=words) as caught:
        tool(type)
    assert "look" in str(caught.value)
    assert "code" in str(caught.value)


@pytest.mark.parametrize(
    "type",
    [
        "Annotated[str, Field(pattern='^[A-Z]{2}-[0-9]{1,18}$')]",
        "Annotated[str, Field(pattern=re.compile('^(a|b)+$'))]",
        "Annotated[str, Field(min_length=1, max_length=10**12)]",
        "Annotated[str, Field(pattern='^.{1,2000}$')]",
        "Annotated[list[int], Field(min_length=1, max_length=500)]",
    ],
)
def test_what_authors_write_today_loads(type: str) -> None:
    assert tool(type).name == "look"


def test_a_schema_without_end_is_said_to_be_too_deep() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(5_000):
        schema = {"type": "array", "items": schema}
    assert list(unbounded({"properties": {"code": schema}})) == [
        "parameter code: its type is nested deeper than 32 levels"
    ]


@pytest.mark.parametrize(
    "nested",
    [
        lambda inner: {"items": inner},
        lambda inner: {"anyOf": [{"type": "null"}, inner]},
        lambda inner: {"prefixItems": [inner]},
        lambda inner: {"properties": {"a": inner}},
        lambda inner: {"additionalProperties": inner},
    ],
)
@pytest.mark.parametrize(("levels", "faults"), [(32, 0), (33, 1), (34, 1)])
def test_a_schema_may_have_so_many_levels_of_every_kind(nested: Any, levels: int, faults: int) -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(levels):
        schema = nested(schema)
    assert len(list(unbounded({"properties": {"code": schema}}))) == faults


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 3 * 10**9},
        {"type": "array", "minItems": 10**10, "items": {"type": "integer"}},
        {"type": "string", "pattern": "^(a+)+$"},
    ],
)
def test_values_are_made_within_bounds_from_whatever_schema(schema: dict[str, Any]) -> None:
    hostile = Tool(
        name="look",
        description="Look.",
        inputSchema={"type": "object", "properties": {"code": schema}, "required": ["code"]},
        mutates_state=False,
    )
    values = ArgumentValues(random.Random(1), clock=datetime(2026, 1, 1))
    values.learn("code", ["a" * 400 + "!", "a" * 100_000])
    assert "a" * 100_000 not in values.seen("code")
    assert len(str(values.arguments(hostile)["code"])) < 100_000
    assert all(len(str(call)) < 100_000 for call in sample_calls(hostile.input_schema))
