"""Author: who writes a part. Every author's parts go through the same checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import JsonValue

from synthesis.documents.environment import Draft, Origin, Part
from synthesis.documents.finding import Finding
from synthesis.documents.trajectory import Usage
from synthesis.pipeline.request import SynthesisRequest

if TYPE_CHECKING:
    from synthesis.pipeline.reply import Reply
    from synthesis.pipeline.stage import AnyStage


@dataclass(frozen=True)
class Ask:
    """What an author is asked for.

    Attributes:
        stage: The stage whose part is wanted.
        draft: The parts that are there.
        request: What the person asked for.
        number: Which attempt this is, from 1.
        last: What the author wrote at the attempt before, or None.
        findings: What was wrong with that, or with a finished part that was sent back.
    """

    stage: AnyStage
    draft: Draft
    request: SynthesisRequest
    number: int = 1
    last: Written | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Written:
    """What an author handed in.

    Attributes:
        part: The part, or None when nothing readable came.
        findings: Why something could not be read.
        prompt: What was said to the author.
        reply: What the author said, verbatim.
        reasoning: What its model thought before, as far as the endpoint tells.
        model: The model that was asked, as its endpoint names it; None without one.
        usage: Tokens and money.
        calls: Requests to a model.
        state: The pieces so far, for an author that corrects piece by piece.
        misread: Pieces that do not fit, by name, as they were written.
        origin: Where the part was read from outside, if it was.
    """

    part: Part | None
    findings: tuple[Finding, ...] = ()
    prompt: str = ""
    reply: str = ""
    reasoning: str = ""
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    state: Reply | None = None
    misread: Mapping[str, Any] = field(default_factory=dict)
    origin: Origin | None = None


class Author(Protocol):
    """Writes parts; safe to call from several threads."""

    @property
    def name(self) -> str:
        """The name it goes by in requests and in the provenance of parts."""
        ...

    @property
    def corrects(self) -> bool:
        """Whether asking again with findings may bring something else."""
        ...

    def writes(self, stage: AnyStage) -> bool:
        """Whether it makes this part at all; a stage that nobody writes is left out."""
        ...

    def recipe(self, stage: AnyStage) -> dict[str, JsonValue]:
        """All that, besides the draft and the request, decides what it writes: model, prompt, settings."""
        ...

    def write(self, ask: Ask) -> Written:
        """One attempt at the part.

        Raises:
            ProviderError: A model that was asked did not answer.
        """
        ...
