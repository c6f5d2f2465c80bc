"""Attempt: one ask-read-check of a stage, kept readable whatever came of it."""

from __future__ import annotations

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.trajectory import Usage

LONGEST_STORED = 200_000
"""Characters of a prompt or a reply that are kept; the middle of a longer one is left out."""


class Attempt(Document):
    """What was asked, what came back, and what was wrong with it."""

    stage: PartName
    number: int = Field(ge=1)
    """From 1."""
    author: str
    model: str | None = None
    """The model that was asked, as its endpoint names it."""
    prompt: str = ""
    """All that was said to the author, as text; empty for an author without a model."""
    reply: str = ""
    """All the author said, verbatim."""
    reasoning: str = ""
    """What the model thought before it replied, as far as its endpoint tells."""
    findings: tuple[Finding, ...] = ()
    usage: Usage = Usage()
    calls: int = Field(default=0, ge=0)
    """Requests to a model."""
    seconds: float = Field(default=0.0, ge=0)

    @property
    def passed(self) -> bool:
        """Whether nothing blocks, so that the part was kept."""
        return not any(finding.blocks for finding in self.findings)


def shortened(text: str, longest: int = LONGEST_STORED) -> str:
    """The text, with its middle left out where it is longer."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"
