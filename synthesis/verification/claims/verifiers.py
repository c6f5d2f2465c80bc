"""Claims 4 and 6: verifiers refuse what is wrong, look at the world, and never give up."""

from __future__ import annotations

import ast
from collections import Counter

from synthesis.documents.finding import PartName
from synthesis.documents.tasks import Task
from synthesis.verification.answer_problems import failed_checks, is_of_answer, remedy_of
from synthesis.verification.claims import end_states as end_states_of
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.distractors import distractors_of
from synthesis.verification.measurements import EndState, Measured
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.wrong_answers import GENERIC, wrong_answers
from synthesis.worlds.syntax import nodes_of

_STATE_NAMES = frozenset({"before", "after", "changes"})


def idle_agents_complete_nothing(context: ProofContext, answer: ClaimOutcome) -> None:
    """On the untouched world, an empty answer completes no task; no goal of a task is reached already."""
    held = 0
    context.measurements.take(EndState(task, context.world.base, "") for task in context.tasks)
    for task in context.tasks:
        measured = context.measured(task, context.world.base, "")
        goals = [outcome for outcome in measured.outcomes if not outcome.guard]
        reached = [goal.name for goal in goals if goal.passed]
        held += len(reached)
        if measured.error:
            answer.finds(
                "verifiers",
                f"The verifier of {task.id} fails on the untouched world: {measured.error}",
                where=task.id,
            )
        elif measured.completed or (goals and len(reached) == len(goals)):
            part: PartName = "seed_data" if _reads_the_state(context, task) else "verifiers"
            answer.finds(
                part,
                f"{task.id} is completed before anything is done: the rows are already as asked, or its "
                "verifier requires nothing.",
                where=task.id,
                evidence={"goals": list(reached)},
            )
    answer.counts(tasks=len(context.tasks), goals_held_at_the_start=held)


def right_words_alone_complete_nothing(context: ProofContext, answer: ClaimOutcome) -> None:
    """On the untouched world, the reference answer completes no task that should change something."""
    changing = [task for task in context.tasks if task.kind in ("write", "mixed")]
    context.measurements.take(EndState(task, context.world.base, task.reference_answer) for task in changing)
    for task in changing:
        if not context.reference(task).changes:
            continue
        measured = context.measured(task, context.world.base, task.reference_answer)
        if measured.completed and not context.measured(task, context.world.base, "").completed:
            answer.finds(
                "verifiers",
                f"The verifier of {task.id} accepts the right answer alone: nothing was done.",
                where=task.id,
            )
    answer.counts(tasks=len(changing))


def wrong_answers_are_refused(context: ProofContext, answer: ClaimOutcome) -> None:
    """In the right end state, an answer that is empty, generic, wrong or hedged does not complete a task."""
    kinds: Counter[str] = Counter()
    refused = 0
    answers = [
        (EndState(task, context.reference(task).after, wrong.text), wrong)
        for task in context.sound_tasks
        for wrong in wrong_answers(task, distractors_of(context.environment, task))
    ]
    context.measurements.take(end for end, _ in answers)
    for (task, state, _), wrong in answers:
        measured = context.measured(task, state, wrong.text)
        kinds[wrong.kind] += 1
        refused += not measured.completed and not measured.error
        answer.tried(end_states_of.refused(task, wrong.kind, wrong.description, measured, answer=wrong.text))
        if measured.completed or measured.error:
            _blame_verifier(answer, task, wrong.kind, wrong.description, measured, wrong.text)
    answer.counts(mutants=sum(kinds.values()), refused=refused, **dict(kinds))


def equivalent_solutions_are_accepted(context: ProofContext, answer: ClaimOutcome) -> None:
    """Other ways to the same end are accepted: later, in another order, by other tools, in other words."""
    kinds: Counter[str] = Counter()
    accepted = 0
    others = [(task, other) for task in context.sound_tasks for other in context.equivalents(task)]
    context.measurements.take(EndState(task, other.state, other.answer) for task, other in others)
    for task, other in others:
        measured = context.measured(task, other.state, other.answer)
        kinds[other.kind] += 1
        accepted += measured.completed
        answer.tried(
            end_states_of.accepted(
                task, other.kind, other.description, measured, calls=other.calls, answer=other.answer
            )
        )
        if not measured.completed:
            of_answer = not measured.error and is_of_answer(measured.open)
            failed = failed_checks(measured.outcomes) or measured.error
            answer.finds(
                "tasks" if of_answer else "verifiers",
                f"{'The task' if of_answer else 'The verifier of'} {task.id} rejects an equivalent solution: "
                f"{other.description}; failed checks: {failed}. "
                f"{remedy_of(measured.open) if of_answer else _WORDS_BY_KIND.get(other.kind, _ACCEPT)}",
                where=task.id,
                severity="error" if other.certain else "warning",
                evidence={
                    "kind": other.kind,
                    "calls": [call.model_dump(mode="json") for call in other.calls],
                    "answer": other.answer,
                },
            )
    answer.counts(equivalents=sum(kinds.values()), accepted=accepted, **dict(kinds))


_ACCEPT = "Have it accept this end, or make the instruction exact enough that it is wrong."
_WORDS_BY_KIND = {
    "other_numbers": "Find new rows by what they hold, not by the number that the system gives them.",
    "bound": "Compare with >= or <= where the instruction gives a bound.",
}


def verifiers_look_at_the_world(context: ProofContext, answer: ClaimOutcome) -> None:
    """No verifier is constant, ignores the database, only matches strings or repeats the reference
    solution; none remembers between runs or depends on chance or on the machine's clock."""
    context.measurements.take(end for task in context.tasks for end in _probes(context, task))
    for task_id, words in context.forbidden_to_verifiers.items():
        answer.finds(
            "verifiers", f"The verifier of {task_id} does what no verifier may. {words}", where=task_id
        )
    for task in context.tasks:
        verifier = context.environment.verifier(task.id)
        if verifier is None:
            continue
        if problem := cheating(context, task, verifier.source):
            answer.finds("verifiers", f"The verifier of {task.id} {problem}.", where=task.id)
    answer.counts(verifiers=len(context.environment.verifiers.verifiers))


def cheating(context: ProofContext, task: Task, source: str) -> str:
    """How a verifier cheats, as the rest of a sentence; empty when it does not."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        return f"does not compile: {error}"
    function = next(
        (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "verify"), None
    )
    if function is None:
        return "defines no verify"
    used = {node.id for node in nodes_of(function) if isinstance(node, ast.Name)}
    if not used & _STATE_NAMES:
        return "never looks at the database" + (": it only reads the answer" if "answer" in used else "")
    run = context.reference(task)
    probes = list(map(context.measurements.of, _probes(context, task)))
    results = {_code_outcomes(measured) for measured in probes if not measured.error}
    if len(results) == 1 and len(probes) > 1:
        return "gives the same result for every state and every answer"
    if run.changes and all(
        _code_outcomes(context.measured(task, run.before, text))
        == _code_outcomes(context.measured(task, run.after, text))
        for text in ("", task.reference_answer)
    ):
        return "gives the same result whether the task was done or not"
    return ""


def _probes(context: ProofContext, task: Task) -> list[EndState]:
    """Both ends of the reference run, with answers that say nothing and with the right one."""
    run = context.reference(task)
    answers = ("", task.reference_answer, GENERIC[task.kind])
    return [EndState(task, state, text) for state in (run.before, run.after) for text in answers]


def _code_outcomes(measured: Measured) -> tuple[tuple[str, bool], ...]:
    """What the verifier's own code said, without the project's answer facts."""
    return tuple(
        (outcome.name, outcome.passed)
        for outcome in measured.outcomes
        if not outcome.name.startswith("the answer says: ")
    )


def _reads_the_state(context: ProofContext, task: Task) -> bool:
    verifier = context.environment.verifier(task.id)
    return verifier is not None and not cheating(context, task, verifier.source)


def _blame_verifier(
    answer: ClaimOutcome, task: Task, kind: str, description: str, measured: Measured, text: str
) -> None:
    verb = "fails on" if measured.error else "accepts"
    answer.finds(
        "verifiers",
        f"The verifier of {task.id} {verb} a near-miss: {description}.",
        where=task.id,
        evidence={"task": task.id, "kind": kind, "answer": text, "error": measured.error},
    )
