"""Claim 4: answers are judged by what they say, in whatever words they say it."""

from __future__ import annotations

from collections import Counter

from synthesis.documents.check_report import Trial
from synthesis.documents.finding import PartName
from synthesis.documents.tasks import Task
from synthesis.verification.answer_problems import failed_checks, is_of_answer, quoted
from synthesis.verification.claims import end_states
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.measurements import EndState, Measured, untrue_in
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.wordings.wording import Wording

_MOST_CAUSES = 6
"""Findings about one task; more of them say nothing new."""
Judged = tuple[Wording, Measured]


def right_wordings_are_accepted(context: ProofContext, answer: ClaimOutcome) -> None:
    """In the right end state, a right answer completes a task in whatever words: long or terse, as sentences,
    list or table, in every usual format."""
    accepted = _try(context, answer, right=True)
    answer.counts(accepted=accepted)


def wrong_wordings_are_refused(context: ProofContext, answer: ClaimOutcome) -> None:
    """In the right end state, an answer that is swapped, hedged, denied, off by one or untrue of what was
    done completes no task, nor does a refusal with an invented reason."""
    refused = _try(context, answer, right=False)
    answer.counts(refused=refused)


def _try(context: ProofContext, answer: ClaimOutcome, *, right: bool) -> int:
    """Try the right or the wrong wordings on every task; how many were judged as they must."""
    kinds: Counter[str] = Counter()
    context.measurements.take(
        EndState(task, context.reference(task).after, wording.text)
        for task in context.sound_tasks
        for wording in context.wordings(task)
    )
    judged_right = 0
    for task in context.sound_tasks:
        tried = [each for each in context.wordings(task) if each.right is right]
        judged = [(each, _judged(context, task, each)) for each in tried]
        kinds.update(each.kind for each in tried)
        wrong = [pair for pair in judged if pair[1].error or pair[1].completed is not right]
        judged_right += len(judged) - len(wrong)
        for wording, measured in judged:
            answer.tried(_trial(task, wording, measured))
        _blame(answer, task, wrong)
    answer.counts(wordings=sum(kinds.values()), **dict(kinds))
    return judged_right


def _judged(context: ProofContext, task: Task, wording: Wording) -> Measured:
    return context.measured(task, context.reference(task).after, wording.text)


def _blame(answer: ClaimOutcome, task: Task, wrong: list[Judged]) -> None:
    """One finding per cause: the checks that were open, or the kind of wording that was let through."""
    causes: dict[tuple[str, ...], list[Judged]] = {}
    for wording, measured in wrong:
        cause = (wording.kind,) if measured.completed else (measured.error, *measured.open)
        causes.setdefault(cause, []).append((wording, measured))
    for pairs in list(causes.values())[:_MOST_CAUSES]:
        wording, measured = pairs[0]
        more = f" ({len(pairs) - 1} more like it)" if len(pairs) > 1 else ""
        answer.finds(
            _part(measured),
            f"{_problem(task, wording, measured)}{more}.",
            where=task.id,
            evidence={
                "kind": wording.kind,
                "answer": wording.text,
                "expected": "accepted" if wording.right else "refused",
                "actual": "failed" if measured.error else "accepted" if measured.completed else "refused",
                "failed_checks": list(measured.open),
                "more_like_it": [other.text for other, _ in pairs[1 : 1 + _MOST_ALIKE]],
                "error": measured.error,
            },
        )


def _part(measured: Measured) -> PartName:
    """The part at fault: the verifier where its own checks are, else what the task says of its answer."""
    return "verifiers" if measured.error or not is_of_answer(measured.open) else "tasks"


def _problem(task: Task, wording: Wording, measured: Measured) -> str:
    if measured.error:
        return f"The verifier of {task.id} fails on an answer: {measured.error}"
    shown = f"({wording.kind.replace('_', ' ')}): {quoted(wording.text)}"
    if measured.completed:
        return (
            f"{task.id} accepts a wrong answer {shown}. Nothing tells it from a right one: give each value "
            "that the instruction asks for as a fact of its own, or what prevents the request in `blocking`"
        )
    failed = failed_checks(measured.outcomes)
    if _part(measured) == "verifiers":
        return (
            f"The verifier of {task.id} refuses a right answer {shown}; failed checks: {failed}. Leave "
            "what is said to says() and declines(), with the values and `blocking` of the task"
        )
    if len(measured.open) == 1 and (untrue := untrue_in(measured)):
        return (
            f"{task.id}: a right answer {shown} is read as untrue: {untrue}. Word the instruction "
            "and the reference answer so that what is to be done is named by its usual words, and not by a "
            "state that other rows have; add no fact that nobody asked for"
        )
    return (
        f"{task.id}: a right answer is refused {shown}; failed checks: {failed}. Give as facts what was "
        "asked for and nothing else, each by a name of its own in the words of the instruction"
    )


def _trial(task: Task, wording: Wording, measured: Measured) -> Trial:
    kind = wording.kind.replace("_", " ")
    text = " ".join(wording.text.split())
    text = f"{text[:_SHOWN]}\u2026" if len(text) > _SHOWN else text or "(empty)"
    if wording.right:
        return end_states.accepted(
            task, wording.kind, f"{kind}: {text}", measured, calls=(), answer=wording.text
        )
    return end_states.refused(task, wording.kind, f"{kind}: {text}", measured, answer=wording.text)


_MOST_ALIKE = 4
_SHOWN = 80
"""Characters of a wording in the heading of its trial."""
