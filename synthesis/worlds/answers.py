"""What workers answer, read as hostile input: anything outside the known form is a protocol error.

Generated code runs in the process that answers, so nothing it says is taken for granted: neither that a field
is there nor its type, its length or its characters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import orjson
from pydantic import ValidationError

from synthesis.documents.finding import Finding
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tools import ResultStatus, Tool, ToolResult
from synthesis.documents.verdict import CheckOutcome
from synthesis.errors import ProtocolViolated
from synthesis.worlds.answer_limits import FAILURE_CHARACTERS, LONGEST_DESCRIPTION
from synthesis.worlds.sandbox.printable import printable
from synthesis.worlds.sandbox.protocol import LARGE_ANSWERS

T = TypeVar("T")
_NOTHING = StateDiff()
_STATUSES = frozenset(get_args(ResultStatus))
_RESULT_FIELDS = frozenset({"status", "value", "message", "broken_invariant", "changes"})
_HASH_LENGTH = 64
_FEW_CHANGES = 200
_MOST_LISTED = 2_000
"""Findings, tools or checks that one answer may name."""
_PARSE_ERRORS = (AttributeError, ValueError, TypeError, KeyError, RecursionError)


def read_result(result: Any, seconds: float) -> ToolResult:
    """The result of one call.

    Raises:
        ProtocolViolated: It is none.
    """
    try:
        if result["status"] not in _STATUSES or not result.keys() <= _RESULT_FIELDS:
            raise ValueError("no result")
        value = result.get("value")
        if type(value) in (list, dict):
            orjson.dumps(value)  # nested no deeper than whoever writes it down later can
        # Nothing is left to validate: pydantic would ask Python for the type of each value in the result.
        return ToolResult.of_valid_parts(
            status=result["status"],
            value=value,
            message=_text(result.get("message")),
            broken_invariant=_text(result.get("broken_invariant")),
            changes=read_changes(result.get("changes")),
            seconds=seconds,
        )
    except _PARSE_ERRORS as error:
        raise _unknown("a result") from error


def _text(value: Any) -> str:
    if value is None:
        return ""
    if type(value) is not str:
        raise TypeError("no text")
    return printable(value[:FAILURE_CHARACTERS])


def read_results(results: Any, most: int) -> list[Any]:
    """The results of a batch as plain values, not more than were asked for.

    Raises:
        ProtocolViolated: They are none.
    """
    if not isinstance(results, list) or len(results) > most:
        raise _unknown("results")
    return results


def read_changes(changes: Any) -> StateDiff:
    """A list of changed rows.

    Raises:
        ProtocolViolated: It is none.
    """
    if not changes:
        return _NOTHING
    try:
        if len(changes) <= _FEW_CHANGES:
            return _state_diff(changes)
        with LARGE_ANSWERS[0]:
            return _state_diff(changes)
    except _PARSE_ERRORS as error:
        raise _unknown("changed rows") from error


def _state_diff(changes: list[Any]) -> StateDiff:
    return StateDiff.model_validate({"changes": [_with_key(change) for change in changes]})


def read_outcomes(outcomes: Any) -> tuple[CheckOutcome, ...]:
    """The checks of a verifier; `passed` is a JSON true or false and nothing else.

    Raises:
        ProtocolViolated: They are none.
    """
    try:
        return tuple(CheckOutcome.model_validate(outcome, strict=True) for outcome in _list(outcomes))
    except _PARSE_ERRORS as error:
        raise ProtocolViolated("The verifier's process answered in an unknown form.") from error


def read_rows(rows: Any) -> list[dict[str, Any]]:
    """Rows of a query.

    Raises:
        ProtocolViolated: They are none.
    """
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _unknown("rows")
    return rows


def read_tables(tables: Any) -> dict[str, list[dict[str, Any]]]:
    """Rows by table.

    Raises:
        ProtocolViolated: They are none.
    """
    if not isinstance(tables, dict):
        raise _unknown("rows")
    return {str(table): read_rows(rows) for table, rows in tables.items()}


def read_hash(value: Any) -> str:
    """A hash of a state.

    Raises:
        ProtocolViolated: It is none.
    """
    if not isinstance(value, str) or len(value) != _HASH_LENGTH or not value.isalnum():
        raise _unknown("a hash")
    return value


def read_findings(problems: Any, **fields: Any) -> tuple[Finding, ...]:
    """What a worker finds wrong; control characters in its words are escaped.

    Args:
        problems: Findings as plain values.
        fields: Fields that are given to each of them.

    Raises:
        ProtocolViolated: They are none.
    """
    return _each(problems, lambda problem: _finding({**problem, **fields}), "findings")


def read_tools(tools: Any) -> tuple[Tool, ...]:
    """The tools that a module declares.

    Raises:
        ProtocolViolated: They are none, or a description is too long.
    """
    return _each(tools, _tool, "descriptions of tools")


def read_pairs(pairs: Any) -> tuple[tuple[str, str], ...]:
    """Names with a text for each.

    Raises:
        ProtocolViolated: They are none.
    """
    return _each(pairs, _pair, "names")


def read_number(value: Any, most: int) -> int:
    """A count or a size from 0 to `most`.

    Raises:
        ProtocolViolated: It is none.
    """
    if type(value) is not int or not 0 <= value <= most:
        raise _unknown("a number")
    return value


def _each(values: Any, read: Callable[[Any], T], what: str) -> tuple[T, ...]:
    try:
        return tuple(read(value) for value in _list(values))
    except (*_PARSE_ERRORS, ValidationError) as error:
        raise _unknown(what) from error


def _list(values: Any) -> list[Any]:
    if not isinstance(values, list) or len(values) > _MOST_LISTED:
        raise TypeError("no list, or one that is too long")
    return values


def _finding(problem: dict[str, Any]) -> Finding:
    texts = {name: printable(problem[name]) for name in ("message", "where") if name in problem}
    return Finding.model_validate({**problem, **texts})


def _tool(tool: dict[str, Any]) -> Tool:
    description = printable(tool["description"])
    if len(description) > LONGEST_DESCRIPTION or not tool["name"].isidentifier():
        raise ValueError("no name, or a description that is too long")
    return Tool.model_validate({**tool, "description": description})


def _pair(pair: Any) -> tuple[str, str]:
    first, second = pair
    return printable(first), printable(second)


def _with_key(change: dict[str, Any]) -> dict[str, Any]:
    return {**change, "key": tuple(change["key"])} if isinstance(change["key"], list) else change


def _unknown(what: str) -> ProtocolViolated:
    return ProtocolViolated(f"The worker returned {what} in an unknown form.")
