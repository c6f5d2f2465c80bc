"""Claim about what code cannot see: people are asked."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from synthesis.errors import WorldError
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.questions.asking import questions_of


def what_code_cannot_see_is_asked(context: ProofContext, answer: ClaimOutcome) -> None:
    """Where code can only doubt, a short list of questions is there for the people who review."""
    answer.asks(questions_of(context.environment, _shown(context)))


def _shown(context: ProofContext) -> dict[str, frozenset[str]]:
    """Tool to the names of values in its answers; empty for a world that does not come to calls."""
    try:
        trials = context.tool_trials
    except WorldError:
        return {}
    return {
        trial.tool.name: frozenset(
            name for call in trial.calls if call.result.ok for name in _names(call.result.value)
        )
        for trial in trials
        if any(call.result.ok for call in trial.calls)
    }


def _names(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from _names(each)
