"""SynthesisRequest: what a person asks for, checked at the door."""

from __future__ import annotations

from pydantic import Field

from synthesis.documents.document import Document
from synthesis.documents.finding import PartName
from synthesis.documents.scenario import MAX_SENTENCE
from synthesis.errors import InvalidInput


class Targets(Document):
    """How large the environment is to be, at least."""

    tables: int = Field(default=12, ge=1, le=60)
    rows: int = Field(default=80, ge=1, le=2_000)
    tools: int = Field(default=20, ge=1, le=80)
    tasks: int = Field(default=10, ge=1, le=50)


class SynthesisRequest(Document):
    """One environment to be made from one sentence."""

    sentence: str
    """What the application is, in a sentence or up to a page."""
    author: str = "procedural"
    """Who writes the parts, by name."""
    stage_authors: dict[str, str] = Field(default_factory=dict)
    """Other authors for single parts."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    attempts: int = Field(default=5, ge=1, le=20)
    """Attempts a stage has for its part."""
    attempts_in_all: int = Field(default=60, ge=1, le=1_000)
    """Attempts at all parts together, corrections included, before the whole is given up."""
    corrections: int = Field(default=5, ge=0, le=50)
    """How often, in all, a finished part may be sent back by the proof of the whole."""
    targets: Targets = Targets()
    category: str = Field(default="", max_length=80)
    """Kind of business, where the asker knows it."""

    def author_of(self, part: PartName) -> str:
        """The name of the author of one part."""
        return self.stage_authors.get(part, self.author)


def require_usable(request: SynthesisRequest) -> None:
    """Pass when the sentence can be worked with.

    Raises:
        InvalidInput: It is empty, too long or holds control characters; the text says which.
    """
    length = len(request.sentence)
    if not request.sentence.strip():
        raise InvalidInput("The scenario is empty. Describe the application in a sentence or two.")
    if length > MAX_SENTENCE:
        raise InvalidInput(f"The scenario has {length:,} characters; at most {MAX_SENTENCE:,} are allowed.")
    if "\x00" in request.sentence:
        raise InvalidInput("The scenario holds a NUL character. Hand in plain text.")
