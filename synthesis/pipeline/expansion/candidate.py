"""Candidate: a scenario that was proposed, and what became of it; a rejected one is a record too."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.documents.scenario import MAX_SENTENCE

Level = Literal["high", "medium", "low"]
"""How well an application can be simulated: score 8 to 10, 5 to 7, 1 to 4."""

Decision = Literal["accepted", "duplicate", "category_full", "unsuitable", "unreadable"]
"""What became of a candidate; "category_full": near another one of a category that has enough."""


class Suitability(Document):
    """Whether an application can be simulated by a database with tools."""

    score: int = Field(ge=1, le=10)
    categories: tuple[str, ...] = ()
    can: tuple[str, ...] = ()
    """What of it can be simulated."""
    cannot: tuple[str, ...] = ()
    """What of it cannot."""

    @property
    def level(self) -> Level:
        """The score's level."""
        if self.score >= 8:
            return "high"
        return "medium" if self.score >= 5 else "low"


class Candidate(Document):
    """A proposed scenario."""

    name: str = Field(min_length=1, max_length=120)
    category: str = Field(min_length=1, max_length=80)
    description: str = Field(min_length=1, max_length=MAX_SENTENCE)
    seed: str = ""
    """The seed it was expanded from, if it was."""

    @property
    def text(self) -> str:
        """What is compared."""
        return f"{self.name}\n{self.description}"


class Considered(Document):
    """A candidate with its decision and the reasons."""

    candidate: Candidate
    decision: Decision
    nearest: str = ""
    """Name of the nearest scenario that was accepted before."""
    similarity: float = Field(default=0.0, ge=0, le=1)
    suitability: Suitability | None = None
    """None when it was rejected before it was classified."""
    round: int = Field(default=0, ge=0)
    reason: str = ""

    @property
    def accepted(self) -> bool:
        """Whether it is one of the scenarios."""
        return self.decision == "accepted"
