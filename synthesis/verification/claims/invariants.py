"""Claim about declared invariants: they hold on the seed rows and after every call."""

from __future__ import annotations

from collections.abc import Iterator

from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.proof_context import ProofContext


def declared_invariants_hold(context: ProofContext, answer: ClaimOutcome) -> None:
    """Every declared invariant holds on the seed rows and after every call that was tried."""
    invariants = context.environment.invariants
    if invariants is None:
        answer.counts(invariants=0)
        return
    broken = context.world.broken_invariants(context.world.base)
    for each in broken:
        if each.error:
            answer.finds("invariants", f"On the seed rows {each.error}.", where=each.name)
        else:
            answer.finds(
                "seed_data",
                f"The seed rows break the invariant {each.name} ({each.sentence}): correct the rows.",
                where=each.name,
            )
    known = {each.name for each in broken}
    calls = list(_calls(context))
    breaches = [(call, result) for call, result in calls if result.broken_invariant not in ("", *known)]
    first = {(call.name, result.broken_invariant): (call, result) for call, result in reversed(breaches)}
    for call, result in first.values():
        answer.finds(
            "tools",
            f"{result.message} Have {call.name} refuse such a call, or correct the invariant.",
            where=call.name,
            evidence={"call": call.model_dump(mode="json"), "invariant": result.broken_invariant},
        )
    answer.counts(invariants=len(invariants.declared), calls=len(calls), breaches=len(breaches))


def _calls(context: ProofContext) -> Iterator[tuple[ToolCall, ToolResult]]:
    """Every call of the probes and of the reference solutions with what it came to."""
    for trial in context.tool_trials:
        yield from ((probed.probe.call, probed.result) for probed in trial.calls)
    yield from ((call, result) for _, call, result in context.solution_calls)
    yield from ((later_call.call, later_call.result) for later_call in context.later_calls)
