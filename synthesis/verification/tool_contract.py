"""Tool contract: calls that every tool must answer or refuse, generated from its schema and from live
rows."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import JsonValue

from synthesis.documents.document import Document
from synthesis.documents.tools import Tool, ToolCall, ToolResult
from synthesis.verification.argument_values import ArgumentValues, singular, time_kind
from synthesis.worlds.arguments import validation_error

Expected = Literal["invalid", "any"]

UNKNOWN_ID = 987_654_321
HOSTILE_TEXTS = (
    "",
    "   ",
    "x'); DROP TABLE a; --",
    '"; %_*?[',
    "O\u2019Brien \u0130stanbul \u202e\U0001f4a5 \u6f22\u5b57",
    "\x00",
    "x" * 10_000,
)
"""Texts a careless tool stumbles over: empty, blank, quotes, wildcards, other scripts, NUL, long."""
DAYS = ("2026-01-31", "2028-02-29", "2026-02-29", "2026-04-31", "0001-01-01", "9999-12-31")
MOMENTS = (
    "2026-01-31T23:59:59",
    "2028-02-29T00:00:00",
    "2026-02-29T12:00:00",
    "2026-03-29T02:30:00+01:00",
    "2026-10-25T02:30:00Z",
    "0001-01-01T00:00:00",
    "9999-12-31T23:59:59",
)
"""Ends of months, leap days that are and that are not, the first and last year; moments with a zone too."""
_WRONG_TYPES: dict[str, JsonValue] = {
    "integer": "seven",
    "number": "seven",
    "string": 7,
    "boolean": "yes",
    "array": "one",
    "object": "one",
    "null": 7,
}
_ID = re.compile(r"(?:^|_)ids?$|_(?:number|code|key|ref)$")
_MOST_TEXT_PARAMETERS = 4


class Probe(Document):
    """One call, and what it must come to."""

    kind: str
    """"missing", "wrong_type", "null", "extra", "boundary", "out_of_bounds", "unknown_id", "odd_time",
    "hostile_text", "repeated", "existing_row", "valid"."""
    call: ToolCall
    expected: Expected
    """ "invalid": the arguments must be refused by their schema. "any": answered or refused, never an
    error."""


def outcome(result: ToolResult) -> Literal["success", "refusal", "failure"]:
    """What a call came to: an answer, an expected refusal, or a failure of the environment."""
    if result.ok:
        return "success"
    return "failure" if result.status == "error" else "refusal"


def candidates(tool: Tool, values: ArgumentValues, count: int) -> list[ToolCall]:
    """Calls that may well succeed: examples first, then required parameters alone, then optional ones too."""
    schema: dict[str, Any] = tool.input_schema
    examples = [ToolCall(name=tool.name, arguments=given) for given in schema.get("examples", ())]
    results = {repr(call.arguments): call for call in examples[: count // 2]}
    for number in range(count * 2):
        call = ToolCall(
            name=tool.name, arguments=values.arguments(tool, optional=0.0 if number % 3 == 0 else 0.5)
        )
        results.setdefault(repr(call.arguments), call)
        if len(results) == count:
            break
    return list(results.values())


def probes(tool: Tool, right: Mapping[str, JsonValue]) -> Iterator[Probe]:
    """Every probe of a tool that starts from arguments which fit its schema.

    Args:
        tool: The tool.
        right: Arguments of a call, best one that succeeds.
    """
    schema: dict[str, Any] = tool.input_schema
    rules: dict[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        rest = {key: value for key, value in right.items() if key != name}
        yield Probe(kind="missing", call=ToolCall(name=tool.name, arguments=rest), expected="invalid")
    yield _probe("extra", "invalid", tool, right, "a_parameter_that_does_not_exist", 1)
    for name, rule in rules.items():
        for kind, value in _odd_values(name, rule):
            yield _probe(kind, _expected(rule, value), tool, right, name, value)
    texts = [name for name, rule in rules.items() if _kind(rule) == "string"]
    for name in texts:
        for text in {"day": DAYS, "moment": MOMENTS, "": ()}[time_kind(name, rules[name])]:
            yield _probe("odd_time", _expected(rules[name], text), tool, right, name, text)
    for name in texts[:_MOST_TEXT_PARAMETERS]:
        for text in HOSTILE_TEXTS:
            yield _probe("hostile_text", _expected(rules[name], text), tool, right, name, text)
    for _ in range(2):
        yield Probe(kind="repeated", call=ToolCall(name=tool.name, arguments=dict(right)), expected="any")


def _probe(
    kind: str, expected: Expected, tool: Tool, right: Mapping[str, JsonValue], name: str, value: JsonValue
) -> Probe:
    call = ToolCall(name=tool.name, arguments={**right, name: value})
    return Probe(kind=kind, call=call, expected=expected)


def _odd_values(name: str, rule: Mapping[str, Any]) -> Iterator[tuple[str, JsonValue]]:
    """Values of one parameter that are wrong, or at the edge of being right."""
    wrong = _WRONG_TYPES.get(_kind(rule), 7)
    if validation_error(rule, wrong):
        yield "wrong_type", wrong
    if validation_error(rule, None) and "default" not in rule:
        yield "null", None
    for value in _bounds(rule):
        yield "out_of_bounds" if validation_error(rule, value) else "boundary", value
    if _ID.search(name):
        unknown = UNKNOWN_ID if _kind(rule) == "integer" else "no-such-row"
        if not validation_error(rule, unknown):
            yield "unknown_id", unknown


def seeded_values(
    rows: Mapping[str, list[dict[str, Any]]], keys: Mapping[str, str], clock: Any
) -> ArgumentValues:
    """Values from live rows: under the names of their columns, keys also as "patient_id" for table
    "patients".

    Args:
        rows: Rows by table.
        keys: The single key column by table.
        clock: The world's time.
    """
    values = ArgumentValues(random.Random(0), clock=clock)  # noqa: S311 - choices, not secrets
    for table, members in rows.items():
        columns: dict[str, list[Any]] = {}
        for row in members:
            for column, value in row.items():
                columns.setdefault(column, []).append(value)
        for column, cells in columns.items():
            values.learn_each(column, cells)
        if table in keys:
            results = [row[keys[table]] for row in members]
            values.learn(f"{singular(table)}_{keys[table]}", results)
            values.learn(f"{singular(table)}_id", results)
    return values


def _expected(rule: Mapping[str, Any], value: JsonValue) -> Expected:
    return "invalid" if validation_error(rule, value) else "any"


def _kind(rule: Mapping[str, Any]) -> str:
    options = [option for option in rule.get("anyOf", [rule]) if option.get("type") != "null"]
    return str(options[0].get("type", "")) if options else "null"


def _bounds(rule: Mapping[str, Any]) -> list[JsonValue]:
    """Values at the bounds of a number and just beyond; the widest integers where there are no bounds."""
    options = [option for option in rule.get("anyOf", [rule]) if option.get("type") in ("integer", "number")]
    if not options or "enum" in options[0]:
        return []
    low, high = options[0].get("minimum"), options[0].get("maximum")
    results: list[JsonValue] = [low, low - 1] if low is not None else [0, -1]
    return results + ([high, high + 1] if high is not None else [2**63 - 1])
