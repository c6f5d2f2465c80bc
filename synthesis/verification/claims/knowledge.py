"""Claims 6 and 7: solutions know only what they were told, nothing leaks, nothing is shorter than
declared."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.verification.answer_facts import facts_hold
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.revealed import Revealed, names_an_entity

MOST_CALLS = 40
"""Calls of a solution up to which a shorter way is looked for."""


def solutions_use_what_was_revealed(context: ProofContext, answer: ClaimOutcome) -> None:
    """Every argument of a reference solution stands in the instruction, an earlier observation or the tool's
    own description, or follows from them."""
    arguments = 0
    for task in context.tasks:
        arguments += sum(len(call.arguments) for call in task.reference_solution)
        for number, name in _unknown(context, task):
            call = task.reference_solution[number]
            answer.finds(
                "tasks",
                f"{task.id}: call {number + 1}, {call.name}, uses {name} = {call.arguments[name]!r}, which "
                "nothing revealed before: say it in the instruction or look it up first.",
                where=task.id,
                severity="error" if names_an_entity(name, call.arguments[name]) else "warning",
                evidence={"call": call.model_dump(mode="json"), "number": number + 1},
            )
    answer.counts(tasks=len(context.tasks), arguments=arguments)


def no_answer_is_in_the_instruction(context: ProofContext, answer: ClaimOutcome) -> None:
    """The instruction of a read task does not contain the facts that the answer is asked for."""
    reading = [task for task in context.tasks if task.kind == "read" and task.answer_facts]
    for task in reading:
        facts = [fact for fact in task.answer_facts if fact.type != "boolean"]
        messages = [
            fact.name
            for fact, outcome in zip(facts, facts_hold(facts, task.instruction), strict=True)
            if outcome.passed
        ]
        if messages:
            answer.finds(
                "tasks",
                f"The instruction of {task.id} gives the answer away: {', '.join(messages)}.",
                where=task.id,
                severity="error" if len(messages) == len(facts) else "warning",
            )
    answer.counts(tasks=len(reading))


def no_shortcut_is_found(context: ProofContext, answer: ClaimOutcome) -> None:
    """No task can be done in fewer calls than declared by leaving out calls of its reference solution."""
    tried = 0
    for task in context.tasks:
        run = context.reference(task)
        if not context.measured(task, run.after, task.reference_answer).completed:
            continue
        declared, length = task.min_calls, len(task.reference_solution)
        if declared > length:
            answer.finds(
                "tasks",
                f"{task.id} declares {declared} calls, its reference solution takes {length}.",
                where=task.id,
            )
        shortest, ways = _shortest(context, task)
        tried += ways
        if shortest is not None and len(shortest) < declared:
            answer.finds(
                "tasks",
                f"{task.id} declares at least {declared} calls, but {len(shortest)} are enough: "
                f"{', '.join(call.name for call in shortest) or 'none at all'}.",
                where=task.id,
                severity="warning" if _still_looks(context, task, shortest) else "error",
                evidence=[call.model_dump(mode="json") for call in shortest],
            )
    answer.counts(tasks=len(context.tasks), ways_tried=tried)


def _shortest(context: ProofContext, task: Task) -> tuple[tuple[ToolCall, ...] | None, int]:
    """A shorter way to do a task, and how many ways were looked at.

    Looks are left out one after the other, the last first, as long as every later argument stays known
    without them and the remaining ones still reveal every fact of the answer; what is left is played once.
    Each changing call is left out by the near-misses already. A task that changes nothing has no end state
    that would show whether anything was looked up.
    """
    run = context.reference(task)
    if not run.changes or len(task.reference_solution) > MOST_CALLS:
        return None, 0
    steps = list(zip(task.reference_solution, run.results, strict=True))
    remaining, ways = steps, 0
    for step in reversed([step for step in steps if not step[1].changes]):
        fewer = [one for one in remaining if one is not step]
        ways += 1
        if _stays_known(context, task, fewer):
            remaining = fewer
    if len(remaining) >= task.min_calls:
        return None, ways
    calls = tuple(call for call, _ in remaining)
    results, _ = context.replayer.play(calls, until_failure=True)
    done = all(result.ok for result in results)
    completed = done and context.measured(task, context.replayer.state(), task.reference_answer).completed
    return (calls if completed else None), ways


def _stays_known(context: ProofContext, task: Task, steps: Sequence[tuple[ToolCall, ToolResult]]) -> bool:
    known = _revealed(context, task)
    for call, result in steps:
        if _unknown_of(context, known, call, strict=True):
            return False
        known.observe(result.observation())
    tool = context.world.tools[0]
    return all(fact.type == "boolean" or known.source_of("", fact.value, tool) for fact in task.answer_facts)


def _revealed(context: ProofContext, task: Task) -> Revealed:
    """What an agent knows before its first call."""
    environment = context.environment
    if task.id not in context.revealed_by_task:
        policy = environment.policy.text if environment.policy else ""
        known = Revealed(task.instruction, policy, environment.scenario.clock)
        if environment.seed_data.actor is not None:
            known.observe(environment.seed_data.actor.key)
        context.revealed_by_task[task.id] = known
    return context.revealed_by_task[task.id].copy()


def _unknown(context: ProofContext, task: Task) -> list[tuple[int, str]]:
    """Arguments of a reference solution that nothing revealed before: (place of the call, name)."""
    known, results = _revealed(context, task), []
    for number, (call, result) in enumerate(
        zip(task.reference_solution, context.reference(task).results, strict=True)
    ):
        results += [
            (number, name)
            for name in _unknown_of(context, known, call)
            if names_an_entity(name, call.arguments[name]) or not known.derives(call.arguments[name])
        ]
        known.observe(result.observation())
    return results


def _unknown_of(context: ProofContext, known: Revealed, call: ToolCall, *, strict: bool = False) -> list[str]:
    """Arguments of a call that are not known; strict: ids must have been seen as ids of the same thing."""
    tool = context.environment.tools.tool(call.name)
    if tool is None:
        return []
    return [
        name
        for name, value in call.arguments.items()
        if not known.source_of(name, value, tool) or (strict and not known.names_row(name, value))
    ]


def _still_looks(context: ProofContext, task: Task, tool_calls: Sequence[ToolCall]) -> bool:
    """Whether the shorter way looks anything up: it is then a matter of counting, and not a task done
    blind."""
    run = context.reference(task)
    reads = [
        call for call, result in zip(task.reference_solution, run.results, strict=True) if not result.changes
    ]
    return any(call in tool_calls for call in reads)
