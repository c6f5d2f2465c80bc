"""What workers answer, read as hostile input: anything outside the known form is a protocol error."""

from __future__ import annotations

from typing import Any

from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tools import ToolResult
from synthesis.documents.verdict import CheckOutcome
from synthesis.errors import ProtocolViolated

_NOTHING = StateDiff()
_HASH_LENGTH = 64


def read_result(result: Any, seconds: float) -> ToolResult:
    """The result of one call.

    Raises:
        ProtocolViolated: It is none.
    """
    try:
        fields = {**result, "changes": read_changes(result.get("changes")), "seconds": seconds}
        return ToolResult.model_validate(fields)
    except (AttributeError, ValueError, TypeError, RecursionError) as error:
        raise ProtocolViolated("The worker gave a result in a form that is not known.") from error


def read_changes(changes: Any) -> StateDiff:
    """A list of changed rows.

    Raises:
        ProtocolViolated: It is none.
    """
    if not changes:
        return _NOTHING
    try:
        return StateDiff.model_validate({"changes": [_with_key(change) for change in changes]})
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ProtocolViolated("The worker gave changed rows in a form that is not known.") from error


def read_outcomes(outcomes: Any) -> tuple[CheckOutcome, ...]:
    """The checks of a verifier; `passed` is a JSON true or false and nothing else.

    Raises:
        ProtocolViolated: They are none.
    """
    try:
        return tuple(CheckOutcome.model_validate(outcome, strict=True) for outcome in outcomes)
    except (ValueError, TypeError, RecursionError) as error:
        raise ProtocolViolated("The verifier's process answered in a form that is not known.") from error


def read_rows(rows: Any) -> list[dict[str, Any]]:
    """Rows of a query.

    Raises:
        ProtocolViolated: They are none.
    """
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ProtocolViolated("The worker gave rows in a form that is not known.")
    return rows


def read_hash(value: Any) -> str:
    """A hash of a state.

    Raises:
        ProtocolViolated: It is none.
    """
    if not isinstance(value, str) or len(value) != _HASH_LENGTH or not value.isalnum():
        raise ProtocolViolated("The worker gave a hash in a form that is not known.")
    return value


def _with_key(change: dict[str, Any]) -> dict[str, Any]:
    return {**change, "key": tuple(change["key"])} if isinstance(change["key"], list) else change
