"""Question: what code cannot see of an environment and a person is asked."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from synthesis.documents.document import Document
from synthesis.documents.finding import PartName

QuestionKind = Literal[
    "rule_and_row",
    "internal_column",
    "promise",
    "number",
    "untried_rule",
    "states_without_rule",
    "missing_rule",
]
"""A row beyond a bound of the policy; a column for internal use that tools show; what a description promises
and no code speaks of; a number of the policy that occurs nowhere else; a rule that neither a tool nor a task
uses; states, or changes, of which no rule speaks."""

QuestionAnswerKind = Literal["yes", "no", "unsure"]
"""Every question is put so that "yes" finds nothing wrong."""


class RowInQuestion(Document):
    """A row that the question is about, with the cells that matter."""

    table: str
    key: JsonValue
    cells: dict[str, JsonValue]


class Question(Document):
    """One question about one environment; its fingerprint changes with the rows and words it rests on."""

    id: str = Field(min_length=1, max_length=160)
    """Unique within the environment, and the same while the place in doubt is."""
    kind: QuestionKind
    text: str = Field(min_length=1, max_length=1_000)
    """For a person who knows the trade; "yes" finds nothing wrong."""
    because: str = Field(min_length=1, max_length=1_000)
    """What code saw and why it cannot tell."""
    part: PartName
    """Whose author mends it where the answer is "no"."""
    where: str = ""
    """The table, tool or rule."""
    rows: tuple[RowInQuestion, ...] = ()
    doubt: float = Field(ge=0, le=1)
    """How likely something is wrong, as far as code can say; the most doubtful are asked."""


class AnsweredQuestion(Document):
    """What one person or one judge model answered."""

    question: str
    """The question's id."""
    text: str = Field(min_length=1, max_length=1_000)
    """The question as it was put."""
    answer: QuestionAnswerKind
    note: str = Field(default="", max_length=4_000)
    by: Literal["person", "judge"] = "person"
    quotes: tuple[str, ...] = ()
    """Of a judge: words of the environment on which the answer rests, each of them checked to be there."""
