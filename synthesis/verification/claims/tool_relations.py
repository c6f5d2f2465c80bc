"""Claims about what the answers and changes of tools must have in common, from several states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from synthesis.documents.finding import Severity
from synthesis.documents.tools import Tool, ToolCall, ToolResult
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.claims.concurrency import differ, follows_the_clock
from synthesis.verification.claims.solutions import writes_by_name
from synthesis.verification.later_calls import LaterState
from synthesis.verification.list_relations import ListTrial, ReadRows, items_of
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.reference_run import Rows
from synthesis.verification.row_calls import optional_parameters
from synthesis.verification.tool_trial import whole_rows
from synthesis.verification.write_relations import doubts_about, faults_of
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import Instance

_LISTED_LATER = 2
"""Later states from which lists are compared."""
_CALLS_OF_A_LIST = 3


@dataclass(frozen=True, slots=True)
class _ChangingCall:
    """One call with the rows it was made on."""

    call: ToolCall
    result: ToolResult
    rows: Rows
    preceding: tuple[ToolCall, ...]


def tools_keep_their_contract_later(context: ProofContext, answer: ClaimOutcome) -> None:
    """Also from the states that reference solutions come to, tools answer or refuse and never fail."""
    calls = context.later_calls
    reported: set[str] = set()
    for later_call in calls:
        if (
            later_call.result.status == "error"
            and not later_call.result.broken_invariant
            and later_call.call.name not in reported
        ):
            reported.add(later_call.call.name)
            answer.finds(
                "tools",
                f"{later_call.call.name} fails {_when(context, later_call.at)}: {later_call.result.message}",
                where=later_call.call.name,
                evidence=_evidence((later_call.call,), later_call.at.preceding),
            )
    answer.counts(states=len(context.later_states), calls=len(calls))


def _when(context: ProofContext, at: LaterState) -> str:
    task = context.environment.task(at.task_id)
    calls = len(at.preceding)
    if task is None or calls == len(task.reference_solution):
        return f"once {at.task_id} is done"
    return f"after call {calls} of {at.task_id}'s solution ({at.preceding[-1].name})"


def lists_agree_with_each_other(context: ProofContext, answer: ClaimOutcome) -> None:
    """A filter narrows, pages joined are the whole, case does not matter, and no join leaves out a row."""
    reported: set[tuple[str, str]] = set()
    states, asked = 0, 0
    with context.instance() as instance:
        for state, rows, by_tool in _listings(context):
            states += 1
            instance.restore(state)
            for tool in context.world.tools:
                trial = ListTrial(
                    tool,
                    context.environment.schema,
                    rows,
                    lambda call: instance.call(call.name, call.arguments),
                )
                for call in by_tool.get(tool.name, ())[:_CALLS_OF_A_LIST]:
                    for contradiction in trial.contradictions(call):
                        if (tool.name, contradiction.text[:40]) not in reported:
                            reported.add((tool.name, contradiction.text[:40]))
                            answer.finds(
                                "tools",
                                contradiction.text,
                                where=tool.name,
                                evidence=_evidence(contradiction.calls, ()),
                            )
                asked += trial.asked
                if state == context.world.base:
                    _ask_again(context, answer, instance, trial)
    answer.counts(states=states, calls=asked)


def _ask_again(context: ProofContext, answer: ClaimOutcome, instance: Instance, trial: ListTrial) -> None:
    """Lists are asked for twice with every set of arguments that was tried: answers may turn on them."""
    for call in trial.kinds:
        results = instance.call_many([call, call])
        if differ(*results) and not follows_the_clock(context, instance, call, results[1]):
            given = ", ".join(call.arguments) or "no argument"
            answer.finds(
                "tools",
                f"{call.name}, asked twice with the same {given}, lists something else the second time: sort "
                "by a column without equal values, and use nothing but rows and arguments.",
                where=call.name,
                evidence=_evidence((call, call), ()),
            )
            return


def changes_fit_their_calls(context: ProofContext, answer: ClaimOutcome) -> None:
    """A call changes what its arguments name, leaves no orphan, loses no amount, and fails by refusing."""
    calls, reported = 0, set[tuple[str, str]]()
    optional = {tool.name: optional_parameters(tool) for tool in context.world.tools}
    for changing in _changing(context):
        calls += 1
        call, result, schema = changing.call, changing.result, context.environment.schema
        faults = faults_of(call, result, schema, changing.rows, optional.get(call.name, frozenset()))
        texts: list[tuple[str, Severity]] = [(text, "error") for text in faults]
        texts += [(text, "warning") for text in doubts_about(call, result, schema)]
        for text, severity in texts:
            kind = text[:40]
            if (call.name, kind) not in reported:
                reported.add((call.name, kind))
                evidence = _evidence((call,), changing.preceding)
                answer.finds("tools", text, where=call.name, severity=severity, evidence=evidence)
    for tool in _silent(context.world.tools):
        answer.finds(
            "tools",
            f"{tool.name} says by its name that it writes, and its source writes nothing: save what it "
            "promises, or name it for what it shows.",
            where=tool.name,
        )
    answer.counts(calls=calls)


def _listings(context: ProofContext) -> Iterator[tuple[Snapshot, ReadRows, dict[str, list[ToolCall]]]]:
    """States with their rows and, by tool that only reads, calls that list something there."""
    reading = {tool.name for tool in context.world.tools if not tool.mutates_state}
    first = [
        (probed.probe.call, probed.result)
        for trial in context.tool_trials
        if trial.tool.name in reading
        for probed in trial.calls
        if probed.probe.kind == "valid"
    ]
    yield context.world.base, whole_rows(context.environment, context.base_rows), _listing(first)
    for at in context.later_states[:_LISTED_LATER]:
        calls = [
            (later_call.call, later_call.result)
            for later_call in context.later_calls
            if later_call.at is at and later_call.call.name in reading
        ]
        yield at.state, at.rows, _listing(calls)


def _listing(calls: Iterable[tuple[ToolCall, ToolResult]]) -> dict[str, list[ToolCall]]:
    """Calls that list something by tool, those that list most first."""
    by_tool: dict[str, list[tuple[int, ToolCall]]] = {}
    for call, result in calls:
        items = items_of(result.value) if result.ok else None
        if items:
            by_tool.setdefault(call.name, []).append((len(items), call))
    return {
        name: [call for _, call in sorted(each, key=lambda pair: -pair[0])] for name, each in by_tool.items()
    }


def _changing(context: ProofContext) -> Iterator[_ChangingCall]:
    """Every call that changed rows: probes, calls of reference solutions, calls from later states."""
    base = context.base_rows
    for trial in context.tool_trials:
        for probed in trial.calls:
            if probed.result.changes and not probed.preceding:
                yield _ChangingCall(probed.probe.call, probed.result, base, ())
    for task in context.tasks:
        run = context.reference(task)
        for number, (call, result) in enumerate(zip(task.reference_solution, run.results, strict=True)):
            if result.changes:
                yield _ChangingCall(
                    call, result, base if number == 0 else {}, task.reference_solution[:number]
                )
    for later_call in context.later_calls:
        if later_call.result.changes:
            yield _ChangingCall(
                later_call.call, later_call.result, later_call.at.rows, later_call.at.preceding
            )


def _silent(tools: Iterable[Tool]) -> list[Tool]:
    return [tool for tool in tools if not tool.mutates_state and writes_by_name(tool.name)]


def _evidence(calls: Iterable[ToolCall], preceding: tuple[ToolCall, ...]) -> JsonValue:
    return {
        "calls": [call.model_dump(mode="json") for call in calls],
        "preceding_calls": [call.model_dump(mode="json") for call in preceding],
    }
