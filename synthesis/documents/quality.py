"""Quality: how good an environment is, as a judge model graded it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.documents.finding import PartName
from synthesis.documents.question import AnsweredQuestion
from synthesis.documents.trajectory import Usage

BugKind = Literal[
    "unhandled_edge_input",
    "wrong_result",
    "wrong_change",
    "missing_guard",
    "inconsistent_data",
    "infeasible_task",
    "wrong_verifier",
    "unclear_instruction",
    "other",
]
"""What kind of fault it is."""

BUG_TITLES: dict[BugKind, str] = {
    "unhandled_edge_input": "Edge input not handled",
    "wrong_result": "A tool answers wrongly",
    "wrong_change": "A tool changes the wrong rows",
    "missing_guard": "A rule is not enforced",
    "inconsistent_data": "Rows contradict each other",
    "infeasible_task": "A task cannot be done",
    "wrong_verifier": "A verifier measures the wrong thing",
    "unclear_instruction": "An instruction has two readings",
    "other": "Something else",
}


class Bug(Document):
    """One fault and where it is."""

    kind: BugKind
    part: PartName
    where: str = Field(default="", max_length=200)
    """Tool, table or task."""
    description: str = Field(min_length=1, max_length=1_000)


class Grade(Document):
    """One criterion graded."""

    score: int = Field(ge=1, le=5)
    reason: str = Field(min_length=1, max_length=2_000)


class QualityGrade(Document):
    """One environment graded once, by the rubric `ENVIRONMENT_QUALITY`."""

    environment: str
    """Fingerprint of what was graded."""
    grades: dict[str, Grade]
    """By the name of the criterion."""
    bugs: tuple[Bug, ...] = ()
    blocked_tasks: tuple[str, ...] = ()
    """Ids of tasks that a fault makes impossible."""
    answers: tuple[AnsweredQuestion, ...] = Field(default=(), exclude_if=lambda value: not value)
    """To the questions of the proof, as far as the replies could be read."""
    judge: str
    model: str
    prompt_fingerprint: str
    usage: Usage = Usage()
