"""Wording: one answer to a task, and whether it is right."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from synthesis.documents.document import Document
from synthesis.documents.tasks import AnswerFact, Blocking, Task


class Wording(Document):
    """A final answer in the right end state of a task."""

    kind: str
    """What is special about its wording: "table", "swapped", "hedged" ..."""
    text: str
    right: bool
    """Whether it must complete the task."""


@dataclass(frozen=True, slots=True)
class WordingSubject:
    """What answers are worded about."""

    task: Task
    others: Mapping[str, Collection[str]]
    """By name of a fact: other values of its column."""
    changes: bool = True
    """Whether the right end differs from the start; that of a mixed task may not, where a condition fails."""

    @property
    def writes(self) -> bool:
        """Whether a right answer tells of something done."""
        return self.task.kind != "read" and self.changes

    @property
    def declines(self) -> bool:
        """Whether a right answer says no more than that nothing was done, and why."""
        unmet = bool(self.task.kind == "mixed" and not self.changes and self.reasons and not self.facts)
        return self.task.kind == "refuse" or unmet

    @property
    def facts(self) -> tuple[AnswerFact, ...]:
        """The facts that an answer says as values; booleans are said beside them."""
        return tuple(fact for fact in self.task.answer_facts if fact.type != "boolean")

    @property
    def booleans(self) -> tuple[AnswerFact, ...]:
        """What is affirmed or denied beside the values."""
        return tuple(fact for fact in self.task.answer_facts if fact.type == "boolean")

    @property
    def reasons(self) -> tuple[Blocking, ...]:
        """Why the request is declined."""
        return self.task.blocking


class PhraseBank(Protocol):
    """Words one kind of answers in one style."""

    def right(self, subject: WordingSubject) -> Iterator[Wording]:
        """Answers that are right, the most ordinary first."""
        ...

    def wrong(self, subject: WordingSubject) -> Iterator[Wording]:
        """Answers that are wrong."""
        ...
