"""Review: what a person decided about an environment; the content of reviews.json."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.documents.finding import PartName
from synthesis.documents.question import AnsweredQuestion

ReviewDecision = Literal["approve", "request_changes", "reject"]


class ReviewedFlag(Document):
    """Something a reviewer says is wrong."""

    reason: str = Field(min_length=1, max_length=80)
    part: PartName | None = None
    where: str = ""
    comment: str = ""


class ReviewDocument(Document):
    """One verdict with the digests it covers; it says nothing about a part with another digest."""

    decision: ReviewDecision
    covers: dict[str, str]
    """Part name to fingerprint."""
    reviewer: str = ""
    """A role or pseudonym; bundles carry no account names."""
    scores: dict[str, int] = Field(default_factory=dict)
    """Rubric criterion to a score from 1 to 5."""
    comment: str = ""
    flags: tuple[ReviewedFlag, ...] = ()
    answers: tuple[AnsweredQuestion, ...] = Field(default=(), exclude_if=lambda value: not value)
    """What the reviewer answered to the questions of the proof."""
