"""Task kinds: the tasks of a world from a schema, and whether a task answers itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from synthesis.documents.tasks import AnswerFact, Task
from synthesis.documents.verdict import CheckOutcome
from synthesis.verification.answer_facts import facts_hold, mentions, normalised, values
from synthesis.verification.wrong_answers import in_words, wrong_answers

Kind = Literal["read", "write", "mixed", "refuse", "conditional", "find", "choose", "branch", "each"]
"""The last four are about rows that only the answers of earlier calls lead to."""
DEPENDENT: tuple[Kind, ...] = ("find", "choose", "branch", "each")
MOST_CALLS = 20


@dataclass(frozen=True)
class Plan:
    """One task to compose."""

    kind: Kind
    goals: int = 0
    asked: int = 0
    hops: int = 0
    """Choices that lead to the row which is meant, where it is not named."""


PLANS = (
    Plan("read", asked=1),
    Plan("choose", hops=1),
    Plan("refuse"),
    Plan("find", hops=2),
    Plan("each", hops=1),
    Plan("conditional", goals=2),
    Plan("branch", hops=2),
    Plan("mixed", goals=3, asked=1),
    Plan("choose", hops=4),
    Plan("branch", hops=4),
)
"""The ten tasks of an environment, easiest first."""


def answers_itself(task: Task) -> bool:
    """Whether the reference answer and the bare facts are read as right, and answers made wrong are not."""
    held = [*_held(task, task.reference_answer)]
    if all(fact.type != "boolean" for fact in task.answer_facts):
        held += _held(task, in_words(task, {}))
    return all(outcome.passed for outcome in held) and not any(
        all(outcome.passed for outcome in _held(task, wrong.text)) for wrong in wrong_answers(task, {})
    )


def _held(task: Task, answer: str) -> tuple[CheckOutcome, ...]:
    commits = task.kind == "read"
    return facts_hold(task.answer_facts, answer, commits=commits, instruction=task.instruction)


def gives_away(task: Task) -> bool:
    """Whether the instruction says a row's key by coincidence, or the answer to its own question."""
    text = normalised(task.instruction)
    numbers = {str(number) for number in re.findall(r"\d+", text)}
    for call in task.reference_solution:
        if any(name.endswith("_id") and str(value) in numbers for name, value in call.arguments.items()):
            return True
    if task.kind != "read":
        return False
    for fact in task.answer_facts:
        messages = values(fact.type, text, year=task_year(fact))
        if fact.value in messages or (fact.type in ("name", "text") and mentions(text, str(fact.value))):
            return True
    return False


def task_year(fact: AnswerFact) -> int | None:
    """The year that a day without a year means for a fact."""
    return int(str(fact.value)[:4]) if fact.type == "date" else None
