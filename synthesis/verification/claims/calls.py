"""Calls as records: what a tool was given, what it said, which rows it changed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from pydantic import JsonValue

from synthesis.documents.check_report import CallCount, Trial
from synthesis.documents.tools import ToolCall
from synthesis.verification.claims.ends import differences
from synthesis.verification.tool_contract import outcome
from synthesis.verification.tool_trial import Made, ToolTrial

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
    found: Counter[tuple[str, str]] = Counter(
        (made.probe.kind, "let_through" if made.result.ok and not made.kept else outcome(made.result))
        for made in trial.made
    )
    kinds = dict.fromkeys(made.probe.kind for made in trial.made)
    return tuple(
        CallCount(
            kind=kind,
            success=found[kind, "success"],
            refusal=found[kind, "refusal"],
            failure=found[kind, "failure"],
            let_through=found[kind, "let_through"],
        )
        for kind in kinds
    )


def shown_calls(trial: ToolTrial) -> Iterator[Trial]:
    """The calls of a tool that broke its contract, the first of every kind and outcome beside them."""
    broken = 0
    seen: set[tuple[str, str]] = set()
    for made in trial.made:
        place = made.probe.kind, outcome(made.result)
        if made.kept and place not in seen:
            seen.add(place)
        elif made.kept or broken >= _MOST_BROKEN:
            continue
        broken += not made.kept
        yield _shown(made)


def _shown(made: Made) -> Trial:
    return Trial(
        about="tool",
        subject=made.probe.call.name,
        kind=made.probe.kind,
        description=_line(made.probe.call),
        expected="refused" if made.probe.expected == "invalid" else "either",
        outcome=_OUTCOMES[outcome(made.result)],
        open=(_cut(made.result.message, _LONGEST_CALL),) if made.result.message else (),
        rows=differences(made.result.changes.changes),
    )


def _line(call: ToolCall) -> str:
    """A call in one line; what is long is cut."""
    arguments = ", ".join(f"{name}={_value(value)}" for name, value in call.arguments.items())
    return _cut(f"{call.name}({arguments})", _LONGEST_CALL)


def _value(value: JsonValue) -> str:
    return _cut(json.dumps(value, ensure_ascii=False), _LONGEST_VALUE)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}... ({len(text)} characters)"
