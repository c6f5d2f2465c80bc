"""Which questions are asked about an environment: the most doubtful, of every kind some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from synthesis.documents.environment import Environment
from synthesis.documents.question import Question
from synthesis.verification.questions import about_policy, about_tools
from synthesis.verification.questions.questioned import QuestionedEnvironment

MOST_QUESTIONS = 8
MOST_OF_A_KIND = 3

_KINDS: tuple[Callable[[QuestionedEnvironment], Iterator[Question]], ...] = (
    about_policy.rows_beyond_bounds,
    about_tools.internal_columns_shown,
    about_tools.unseen_promises,
    about_policy.states_without_rule,
    about_policy.untried_rules,
    about_policy.numbers_found_nowhere,
    about_policy.changes_without_rule,
)


def questions_of(
    environment: Environment, shown: Mapping[str, frozenset[str]] | None = None
) -> tuple[Question, ...]:
    """What people are asked about an environment, the most doubtful first.

    Args:
        environment: The design.
        shown: Tool to the names of values in its answers, where it was called; from its code otherwise.

    Returns:
        At most `MOST_QUESTIONS`, of one kind at most `MOST_OF_A_KIND`; the same for the same environment.
    """
    questioned = QuestionedEnvironment(environment, shown or {})
    doubts = sorted(
        {question.id: question for kind in _KINDS for question in kind(questioned)}.values(),
        key=lambda question: (-question.doubt, question.id),
    )
    counted: Counter[str] = Counter()
    chosen = []
    for question in doubts:
        counted[question.kind] += 1
        if counted[question.kind] <= MOST_OF_A_KIND:
            chosen.append(question)
    return tuple(chosen[:MOST_QUESTIONS])
