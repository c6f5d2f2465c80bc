"""Claim 2: every tool is called in every way, and answers or refuses."""

from __future__ import annotations

from collections import Counter

from pydantic import JsonValue

from synthesis.documents.tools import Tool, ToolResult
from synthesis.verification.claims.calls import call_counts, shown_calls
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.tool_trial import ProbedCall

SCORE_GATE = 0.85
"""Share of calls that must keep the contract for the toolset as a whole (EnvScaler's limit)."""
_SHOWN = 3
_READING_VERBS = frozenset(
    {"get", "list", "find", "search", "show", "count", "look", "lookup", "read", "view"}
)


def no_tool_fails(context: ProofContext, answer: ClaimOutcome) -> None:
    """Tools answer or refuse valid, missing, boundary, unknown and hostile arguments; no exception leaks."""
    trials = context.tool_trials
    outcomes: Counter[str] = Counter()
    for trial in trials:
        outcomes += trial.outcomes
        failed = [
            call for call in trial.calls if call.result.status == "error" and not call.result.broken_invariant
        ]
        for probed_call in failed[:_SHOWN]:
            answer.finds(
                "tools",
                f"{trial.tool.name} fails on {_kind(probed_call)} arguments: "
                f"{_error(probed_call.result, trial.tool)} Answer such a call, or refuse it with ToolError.",
                where=trial.tool.name,
                evidence=_evidence(probed_call),
            )
    for trial in trials:
        right = len(trial.calls) - len(trial.broken)
        answer.scored(trial.tool.name, tried=len(trial.calls), right=right, calls=call_counts(trial))
        for shown in shown_calls(trial):
            answer.tried(shown)
    scores = [trial.score for trial in trials]
    if scores and sum(scores) / len(scores) < SCORE_GATE and not answer.findings:
        text = (
            f"{sum(scores) / len(scores):.0%} of the calls keep the contract, at least {SCORE_GATE:.0%} must."
        )
        answer.finds("tools", f"The toolset as a whole breaks its contract: {text}")
    answer.counts(
        tools=len(trials),
        calls=sum(outcomes.values()),
        **{name: outcomes[name] for name in ("success", "refusal", "failure")},
        score=round(sum(scores) / len(scores), 4) if scores else 0.0,
        gate=SCORE_GATE,
    )


def tools_refuse_wrong_arguments(context: ProofContext, answer: ClaimOutcome) -> None:
    """A call that lacks a parameter, has one too many or one of a wrong type is refused."""
    wrong = 0
    for trial in context.tool_trials:
        asked = [call for call in trial.calls if call.probe.expected == "invalid"]
        wrong += len(asked)
        let_through = [result for result in asked if result.result.ok]
        for probed_call in let_through[:_SHOWN]:
            answer.finds(
                "tools",
                f"{trial.tool.name} accepts {_kind(probed_call)} arguments: declare what they must be.",
                where=trial.tool.name,
                evidence=_evidence(probed_call),
            )
    answer.counts(calls=wrong)


def every_tool_can_succeed(context: ProofContext, answer: ClaimOutcome) -> None:
    """For every tool there is a call that succeeds, from the reference solutions or from live rows."""
    solved = {call.name for _, call, result in context.solution_calls if result.ok}
    solved |= {each.call.name for each in context.later_calls if each.result.ok}
    never = [
        trial
        for trial in context.tool_trials
        if trial.tool.name not in solved and not any(probed_call.result.ok for probed_call in trial.calls)
    ]
    for trial in never:
        refusals = sorted(
            {outcome.result.message for outcome in trial.calls if outcome.probe.kind == "valid"}
        )
        answer.finds(
            "tools",
            f"No call of {trial.tool.name} succeeded in {len(trial.calls)} attempts; it may need a state "
            "that "
            f"no row has. It said: {' / '.join(refusals[:3])}",
            where=trial.tool.name,
            severity="warning",
        )
    answer.counts(tools=len(context.tool_trials), never=len(never))


def reads_by_name(name: str) -> bool:
    """Whether a tool's name promises that it only reads."""
    return name.split("_", maxsplit=1)[0] in _READING_VERBS


def reading_tools_change_nothing(context: ProofContext, answer: ClaimOutcome) -> None:
    """A tool that only reads, by its code or by its name, changes no row, whatever it is called with."""
    readers = [
        trial
        for trial in context.tool_trials
        if not trial.tool.mutates_state or reads_by_name(trial.tool.name)
    ]
    for trial in readers:
        probed_call = next((call for call in trial.calls if call.result.changes), None)
        if probed_call is not None:
            answer.finds(
                "tools",
                f"{trial.tool.name} is read-only but changed {len(probed_call.result.changes)} rows: have "
                "it only read, or name it for what it writes.",
                where=trial.tool.name,
                evidence=_evidence(probed_call),
            )
    answer.counts(reading_tools=len(readers), calls=sum(len(trial.calls) for trial in readers))


def writing_tools_save(context: ProofContext, answer: ClaimOutcome) -> None:
    """A tool that says it writes changes a row when it succeeds."""
    writers = [trial for trial in context.tool_trials if trial.tool.mutates_state]
    in_solutions = {call.name for _, call, result in context.solution_calls if result.changes}
    for trial in writers:
        succeeded = [probed_call for probed_call in trial.calls if probed_call.result.ok]
        if succeeded and not trial.changed_rows and trial.tool.name not in in_solutions:
            answer.finds(
                "tools",
                f"{trial.tool.name} succeeded {len(succeeded)} times and never changed a row: save what it "
                "promises.",
                where=trial.tool.name,
                severity="error"
                if len({str(outcome.probe.call.arguments) for outcome in succeeded}) > 1
                else "warning",
                evidence=_evidence(succeeded[0]),
            )
    changed = {
        change.table
        for trial in writers
        for new_value in trial.calls
        for change in new_value.result.changes.changes
    }
    changed |= {change.table for _, _, result in context.solution_calls for change in result.changes.changes}
    answer.counts(
        writing_tools=len(writers),
        tables=len(context.environment.schema.tables),
        tables_changed=len(changed),
    )


def _error(result: ToolResult, tool: Tool) -> str:
    """What went wrong, as a sentence, without the name that was said before."""
    return f"{result.message.removeprefix(f'{tool.name} failed: ').rstrip('.')}."


def _kind(probed_call: ProbedCall) -> str:
    return probed_call.probe.kind.replace("_", " ")


def _evidence(probed_call: ProbedCall) -> JsonValue:
    return {
        "kind": probed_call.probe.kind,
        "call": _short(probed_call.probe.call.model_dump(mode="json")),
        "status": probed_call.result.status,
        "message": probed_call.result.message,
        "changes": [change.model_dump(mode="json") for change in probed_call.result.changes.changes[:5]],
        "preceding_calls": len(probed_call.preceding),
    }


def _short(value: JsonValue) -> JsonValue:
    """Long texts cut, so that evidence stays readable."""
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_short(inner) for inner in value[:20]]
    return (
        f"{value[:120]}... ({len(value)} characters)"
        if isinstance(value, str) and len(value) > 160
        else value
    )
