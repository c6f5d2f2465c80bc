"""Claim 2: every tool is called in every way, and answers or refuses."""

from __future__ import annotations

from collections import Counter

from pydantic import JsonValue

from synthesis.verification.claims.calls import call_counts, shown_calls
from synthesis.verification.claims.claim import Answer
from synthesis.verification.proving import Proving
from synthesis.verification.tool_trial import Made

SCORE_GATE = 0.85
"""Share of calls that must keep the contract for the toolset as a whole (EnvScaler's limit)."""
_SHOWN = 3
_READING_VERBS = frozenset(
    {"get", "list", "find", "search", "show", "count", "look", "lookup", "read", "view"}
)


def no_tool_fails(proving: Proving, answer: Answer) -> None:
    """Tools answer or refuse valid, missing, boundary, unknown and hostile arguments; no exception leaks."""
    trials = proving.tool_trials
    outcomes: Counter[str] = Counter()
    for trial in trials:
        outcomes += trial.outcomes
        failed = [made for made in trial.made if made.result.status == "error"]
        for made in failed[:_SHOWN]:
            answer.finds(
                "tools",
                f"{trial.tool.name} failed on {_kind(made)} arguments: {made.result.message}",
                where=trial.tool.name,
                evidence=_evidence(made),
            )
    for trial in trials:
        right = len(trial.made) - len(trial.broken)
        answer.scored(trial.tool.name, tried=len(trial.made), right=right, calls=call_counts(trial))
        for shown in shown_calls(trial):
            answer.tried(shown)
    scores = [trial.score for trial in trials]
    if scores and sum(scores) / len(scores) < SCORE_GATE:
        text = f"{sum(scores) / len(scores):.0%} of the calls keep the contract, {SCORE_GATE:.0%} must."
        answer.finds("tools", f"The toolset as a whole is not sound: {text}")
    answer.counts(
        tools=len(trials),
        calls=sum(outcomes.values()),
        **{name: outcomes[name] for name in ("success", "refusal", "failure")},
        score=round(sum(scores) / len(scores), 4) if scores else 0.0,
        gate=SCORE_GATE,
    )


def tools_refuse_wrong_arguments(proving: Proving, answer: Answer) -> None:
    """A call that lacks a parameter, has one too many or one of a wrong type is refused."""
    wrong = 0
    for trial in proving.tool_trials:
        asked = [made for made in trial.made if made.probe.expected == "invalid"]
        wrong += len(asked)
        let_through = [made for made in asked if made.result.ok]
        for made in let_through[:_SHOWN]:
            answer.finds(
                "tools",
                f"{trial.tool.name} let {_kind(made)} arguments through.",
                where=trial.tool.name,
                evidence=_evidence(made),
            )
    answer.counts(calls=wrong)


def every_tool_can_succeed(proving: Proving, answer: Answer) -> None:
    """For every tool there is a call that succeeds, from the reference solutions or from live rows."""
    solved = {call.name for _, call, result in proving.solution_calls if result.ok}
    never = [
        trial
        for trial in proving.tool_trials
        if trial.tool.name not in solved and not any(made.result.ok for made in trial.made)
    ]
    for trial in never:
        refusals = sorted({made.result.message for made in trial.made if made.probe.kind == "valid"})
        answer.finds(
            "tools",
            f"No call of {trial.tool.name} succeeded in {len(trial.made)} tries; it may need a state that no "
            f"row has. It said: {' / '.join(refusals[:3])}",
            where=trial.tool.name,
            severity="warning",
        )
    answer.counts(tools=len(proving.tool_trials), never=len(never))


def reads_by_name(name: str) -> bool:
    """Whether a tool's name promises that it only reads."""
    return name.split("_", maxsplit=1)[0] in _READING_VERBS


def reading_tools_change_nothing(proving: Proving, answer: Answer) -> None:
    """A tool that only reads, by its code or by its name, changes no row, whatever it is called with."""
    readers = [
        trial
        for trial in proving.tool_trials
        if not trial.tool.mutates_state or reads_by_name(trial.tool.name)
    ]
    for trial in readers:
        made = next((made for made in trial.made if made.result.changes), None)
        if made is not None:
            answer.finds(
                "tools",
                f"{trial.tool.name} is to read only and changed {len(made.result.changes)} rows.",
                where=trial.tool.name,
                evidence=_evidence(made),
            )
    answer.counts(reading_tools=len(readers), calls=sum(len(trial.made) for trial in readers))


def writing_tools_save(proving: Proving, answer: Answer) -> None:
    """A tool that says it writes changes a row when it succeeds."""
    writers = [trial for trial in proving.tool_trials if trial.tool.mutates_state]
    in_solutions = {call.name for _, call, result in proving.solution_calls if result.changes}
    for trial in writers:
        succeeded = [made for made in trial.made if made.result.ok]
        if succeeded and not trial.changed_rows and trial.tool.name not in in_solutions:
            answer.finds(
                "tools",
                f"{trial.tool.name} succeeded {len(succeeded)} times and never changed a row.",
                where=trial.tool.name,
                severity="error"
                if len({str(made.probe.call.arguments) for made in succeeded}) > 1
                else "warning",
                evidence=_evidence(succeeded[0]),
            )
    changed = {
        change.table for trial in writers for made in trial.made for change in made.result.changes.changes
    }
    changed |= {change.table for _, _, result in proving.solution_calls for change in result.changes.changes}
    answer.counts(
        writing_tools=len(writers),
        tables=len(proving.environment.schema.tables),
        tables_changed=len(changed),
    )


def _kind(made: Made) -> str:
    return made.probe.kind.replace("_", " ")


def _evidence(made: Made) -> JsonValue:
    return {
        "kind": made.probe.kind,
        "call": _short(made.probe.call.model_dump(mode="json")),
        "status": made.result.status,
        "message": made.result.message,
        "changes": [change.model_dump(mode="json") for change in made.result.changes.changes[:5]],
        "preceding_calls": len(made.preceding),
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
