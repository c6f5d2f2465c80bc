"""Claims 4 and 6: verifiers refuse what is wrong, look at the world, and never give up."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from pydantic import JsonValue

from synthesis.documents.finding import PartName
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tasks import Task
from synthesis.verification.claims import ends as ends_of
from synthesis.verification.claims.claim import Answer
from synthesis.verification.claims.ends import between
from synthesis.verification.measurements import End, Measured
from synthesis.verification.proof import near_misses
from synthesis.verification.proving import Proving
from synthesis.verification.rivals import rivals_of
from synthesis.verification.wrong_answers import GENERIC, wrong_answers
from synthesis.worlds.snapshot import Snapshot

_STATE_NAMES = frozenset({"before", "after", "changes"})


def idle_agents_complete_nothing(proving: Proving, answer: Answer) -> None:
    """On the untouched world, an empty answer completes no task; no goal of a task is reached already."""
    held = 0
    for task in proving.tasks:
        measured = proving.measured(task, proving.world.base, "")
        goals = [outcome for outcome in measured.outcomes if not outcome.guard]
        reached = [goal.name for goal in goals if goal.passed]
        held += len(reached)
        if measured.error:
            answer.finds(
                "verifiers",
                f"The verifier of {task.id} gives up on the untouched world: {measured.error}",
                where=task.id,
            )
        elif measured.completed or (goals and len(reached) == len(goals)):
            part: PartName = "seed_data" if _reads_the_state(proving, task) else "verifiers"
            answer.finds(
                part,
                f"{task.id} is completed before anything is done: the rows already are as asked, or its "
                "verifier asks for nothing.",
                where=task.id,
                evidence={"goals": list(reached)},
            )
    answer.counts(tasks=len(proving.tasks), goals_held_at_the_start=held)


def right_words_alone_complete_nothing(proving: Proving, answer: Answer) -> None:
    """On the untouched world, the reference answer completes no task that should change something."""
    changing = [task for task in proving.tasks if task.kind in ("write", "mixed")]
    for task in changing:
        if not proving.reference(task).changes:
            continue
        measured = proving.measured(task, proving.world.base, task.reference_answer)
        if measured.completed and not proving.measured(task, proving.world.base, "").completed:
            answer.finds(
                "verifiers",
                f"The verifier of {task.id} is content with the right words: nothing was done.",
                where=task.id,
            )
    answer.counts(tasks=len(changing))


def near_misses_are_refused(proving: Proving, answer: Answer) -> None:
    """End states that look right and are not are refused: other row, wrong value, twice, partial, reverted,
    damage elsewhere."""
    kinds: Counter[str] = Counter()
    refused = impossible = 0
    ends: list[tuple[Task, str, str, Snapshot, StateDiff]] = []
    for task in _sound(proving):
        run = proving.reference(task)
        for mutant in near_misses(proving.environment, run):
            made = proving.mutated(task, mutant)
            impossible += made is None
            if made is not None:
                ends.append((task, mutant.kind, mutant.description, made.state, made.changes))
        for call, state, changes in proving.unfinished(task):
            text = f"the call of {call.name} is left out"
            ends.append((task, "call_left_out", text, state, between(run.changes, changes)))
    proving.measurements.take(End(task, state, task.reference_answer) for task, _, _, state, _ in ends)
    for task, kind, text, state, differs in ends:
        measured = proving.measured(task, state, task.reference_answer)
        kinds[kind] += 1
        refused += not measured.completed and not measured.error
        answer.tried(ends_of.refused(task, kind, text, measured, changes=differs))
        if measured.completed or measured.error:
            _blame_verifier(answer, task, kind, text, measured, differs)
    answer.counts(mutants=sum(kinds.values()), refused=refused, not_possible=impossible, **dict(kinds))


def wrong_answers_are_refused(proving: Proving, answer: Answer) -> None:
    """In the right end state, an answer that is empty, generic, wrong or hedged does not complete a task."""
    kinds: Counter[str] = Counter()
    refused = 0
    answers = [
        (End(task, proving.reference(task).after, wrong.text), wrong)
        for task in _sound(proving)
        for wrong in wrong_answers(task, rivals_of(proving.environment, task))
    ]
    proving.measurements.take(end for end, _ in answers)
    for (task, state, _), wrong in answers:
        measured = proving.measured(task, state, wrong.text)
        kinds[wrong.kind] += 1
        refused += not measured.completed and not measured.error
        answer.tried(ends_of.refused(task, wrong.kind, wrong.description, measured, answer=wrong.text))
        if measured.completed or measured.error:
            _blame_verifier(answer, task, wrong.kind, wrong.description, measured, None, wrong.text)
    answer.counts(mutants=sum(kinds.values()), refused=refused, **dict(kinds))


def equivalent_solutions_are_accepted(proving: Proving, answer: Answer) -> None:
    """Other ways to the same end are accepted: later, in another order, by other tools, in other words."""
    kinds: Counter[str] = Counter()
    accepted = 0
    others = [(task, other) for task in _sound(proving) for other in proving.equivalents(task)]
    proving.measurements.take(End(task, other.state, other.answer) for task, other in others)
    for task, other in others:
        measured = proving.measured(task, other.state, other.answer)
        kinds[other.kind] += 1
        accepted += measured.completed
        answer.tried(
            ends_of.accepted(
                task, other.kind, other.description, measured, calls=other.calls, answer=other.answer
            )
        )
        if not measured.completed:
            answer.finds(
                "verifiers",
                f"The verifier of {task.id} refuses a right end: {other.description}; open: "
                f"{', '.join(measured.open) or measured.error}.",
                where=task.id,
                evidence={
                    "kind": other.kind,
                    "calls": [call.model_dump(mode="json") for call in other.calls],
                    "answer": other.answer,
                },
            )
    answer.counts(equivalents=sum(kinds.values()), accepted=accepted, **dict(kinds))


def verifiers_look_at_the_world(proving: Proving, answer: Answer) -> None:
    """No verifier is constant, ignores the database, only matches strings or repeats the reference
    solution."""
    for task in proving.tasks:
        verifier = proving.environment.verifier(task.id)
        if verifier is None:
            continue
        if problem := cheating(proving, task, verifier.source):
            answer.finds("verifiers", f"The verifier of {task.id} {problem}.", where=task.id)
    answer.counts(verifiers=len(proving.environment.verifiers.verifiers))


def cheating(proving: Proving, task: Task, source: str) -> str:
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
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    if not used & _STATE_NAMES:
        return "never looks at the database" + (": it only reads the answer" if "answer" in used else "")
    run = proving.reference(task)
    probes = [
        proving.measured(task, state, text)
        for state in (run.before, run.after)
        for text in ("", task.reference_answer, GENERIC[task.kind])
    ]
    found = {_code_outcomes(measured) for measured in probes if not measured.error}
    if len(found) == 1 and len(probes) > 1:
        return "comes to the same for every state and every answer"
    if run.changes and all(
        _code_outcomes(proving.measured(task, run.before, text))
        == _code_outcomes(proving.measured(task, run.after, text))
        for text in ("", task.reference_answer)
    ):
        return "comes to the same whether the task was done or not"
    return ""


def _code_outcomes(measured: Measured) -> tuple[tuple[str, bool], ...]:
    """What the verifier's own code said, without the project's answer facts."""
    return tuple(
        (outcome.name, outcome.passed)
        for outcome in measured.outcomes
        if not outcome.name.startswith("the answer says: ")
    )


def _reads_the_state(proving: Proving, task: Task) -> bool:
    verifier = proving.environment.verifier(task.id)
    return verifier is not None and not cheating(proving, task, verifier.source)


def _sound(proving: Proving) -> Iterator[Task]:
    """Tasks whose right end state is accepted at all; near-misses of a broken task say nothing."""
    for task in proving.tasks:
        run = proving.reference(task)
        if run.clean and proving.measured(task, run.after, task.reference_answer).completed:
            yield task


def _blame_verifier(
    answer: Answer,
    task: Task,
    kind: str,
    description: str,
    measured: Measured,
    differs: StateDiff | None,
    text: str | None = None,
) -> None:
    changes: JsonValue = None
    if differs is not None:
        changes = [change.model_dump(mode="json") for change in differs.changes[:10]]
    verb = "gives up on" if measured.error else "accepts"
    answer.finds(
        "verifiers",
        f"The verifier of {task.id} {verb} a wrong end: {description}.",
        where=task.id,
        evidence={
            "task": task.id,
            "kind": kind,
            "differs_from_the_right_end": changes,
            "answer": task.reference_answer if text is None else text,
            "error": measured.error,
        },
    )
