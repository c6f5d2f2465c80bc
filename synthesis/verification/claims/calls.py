"""Calls as records: what a tool was given, what it said, which rows it changed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from pydantic import JsonValue

from synthesis.documents.check_report import CallCount, Trial
from synthesis.documents.tools import ToolCall
from synthesis.verification.claims.end_states import differences
from synthesis.verification.tool_contract import outcome
from synthesis.verification.tool_trial import ProbedCall, ToolTrial

_MOST_BROKEN = 20
_LONGEST_CALL = 400
_LONGEST_VALUE = 120
_OUTCOMES: dict[str, Literal["refused", "accepted", "failed"]] = {
    "success": "accepted",
    "refusal": "refused",
    "failure": "failed",
}


def call_counts(trial: ToolTrial) -> tuple[CallCount, ...]:
    """What the calls of a tool came to, by kind of arguments, in the order in which they were made."""
    results: Counter[tuple[str, str]] = Counter(
        (
            probed_call.probe.kind,
            "let_through"
            if probed_call.result.ok and not probed_call.kept_contract
            else outcome(probed_call.result),
        )
        for probed_call in trial.calls
    )
    kinds = dict.fromkeys(call.probe.kind for call in trial.calls)
    return tuple(
        CallCount(
            kind=kind,
            success=results[kind, "success"],
            refusal=results[kind, "refusal"],
            failure=results[kind, "failure"],
            let_through=results[kind, "let_through"],
        )
        for kind in kinds
    )


def shown_calls(trial: ToolTrial) -> Iterator[Trial]:
    """The calls of a tool that broke its contract, the first of every kind and outcome beside them."""
    broken = 0
    seen: set[tuple[str, str]] = set()
    for probed_call in trial.calls:
        place = probed_call.probe.kind, outcome(probed_call.result)
        if probed_call.kept_contract and place not in seen:
            seen.add(place)
        elif probed_call.kept_contract or broken >= _MOST_BROKEN:
            continue
        broken += not probed_call.kept_contract
        yield _shown(probed_call)


def _shown(probed_call: ProbedCall) -> Trial:
    return Trial(
        about="tool",
        subject=probed_call.probe.call.name,
        kind=probed_call.probe.kind,
        description=_line(probed_call.probe.call),
        expected="refused" if probed_call.probe.expected == "invalid" else "either",
        outcome=_OUTCOMES[outcome(probed_call.result)],
        open=(_cut(probed_call.result.message, _LONGEST_CALL),) if probed_call.result.message else (),
        rows=differences(probed_call.result.changes.changes),
    )


def _line(call: ToolCall) -> str:
    """A call in one line; what is long is cut."""
    arguments = ", ".join(f"{name}={_value(value)}" for name, value in call.arguments.items())
    return _cut(f"{call.name}({arguments})", _LONGEST_CALL)


def _value(value: JsonValue) -> str:
    return _cut(json.dumps(value, ensure_ascii=False), _LONGEST_VALUE)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}... ({len(text)} characters)"
