"""Verifier: code that decides whether a task was done."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, model_validator

from synthesis.documents.document import Document, Slug


class Verifier(Document):
    """The source of `verify(before, after, changes, answer)` for one task."""

    task_id: Slug
    source: str = Field(min_length=1)


class Verifiers(Document):
    """One verifier per task."""

    verifiers: tuple[Verifier, ...]

    def content(self) -> Any:
        """The sources by task: the order in which they were written says nothing."""
        return {verifier.task_id: verifier.source for verifier in self.verifiers}

    @model_validator(mode="after")
    def _one_per_task(self) -> Self:
        ids = [verifier.task_id for verifier in self.verifiers]
        if twice := sorted({id for id in ids if ids.count(id) > 1}):
            raise ValueError(f"tasks have more than one verifier: {', '.join(twice)}")
        return self

    def of(self, task_id: str) -> Verifier | None:
        """The verifier of a task, or None."""
        return next((verifier for verifier in self.verifiers if verifier.task_id == task_id), None)
