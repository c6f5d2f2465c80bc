"""What a worker is sent to verify an end state by: the answer, the calls and the conversation."""

from __future__ import annotations

from itertools import islice
from typing import Any

import orjson

from synthesis.documents.evidence import Evidence
from synthesis.reading.answer import Answer

MOST_EVIDENCE_BYTES = 16 * 2**20
"""Calls with their results as JSON; beyond it a verifier sees the calls without results."""
_MOST_VALUES = 200
_LONGEST_VALUE = 2_000
"""Declared values of an answer that verifiers see, and the bytes of each."""


def evidence_fields(evidence: Evidence, wanted: set[str]) -> dict[str, Any]:
    """The wanted fields of evidence; calls come without results where those are too large to send."""
    fields: dict[str, Any] = evidence.model_dump(mode="json", include=wanted)
    if (calls := fields.get("calls")) and len(orjson.dumps(calls)) > MOST_EVIDENCE_BYTES:
        for call in calls:
            call["result"] = None
    return fields


def answer_fields(answer: str) -> dict[str, Any]:
    """An answer as a worker is sent it: its text, and what it declares beside the text."""
    body: dict[str, Any] = {"answer": _encodable(answer)}
    if isinstance(answer, Answer) and answer.declared:
        body["declared"] = {
            "outcome": answer.outcome and _encodable(answer.outcome),
            "reason": answer.reason and _encodable(answer.reason),
            "values": {
                _encodable(str(name)[:_LONGEST_VALUE]): _sendable(value)
                for name, value in islice(answer.values.items(), _MOST_VALUES)
            },
        }
    return body


def _sendable(value: Any) -> Any:
    """A declared value; as a text where it is no JSON that a worker is sent."""
    try:
        if len(orjson.dumps(value)) <= _LONGEST_VALUE:
            return value
    except (TypeError, ValueError):
        pass
    return _encodable(str(value)[:_LONGEST_VALUE])


def _encodable(text: str) -> str:
    """A text with what UTF-8 cannot express replaced."""
    return text.encode("utf-8", "replace").decode()
