"""Events: what a pipeline says while it works; frozen documents that a run stores and a page shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.document import Document
from synthesis.documents.finding import Finding, PartName
from synthesis.pipeline.attempt import Attempt


class StageStarted(Document):
    """A stage begins; `title` is for people."""

    kind: Literal["stage_started"] = "stage_started"
    stage: PartName
    author: str
    recipe: str
    """Hash of all that makes the part."""


class AttemptEnded(Document):
    """An attempt ended, well or not."""

    kind: Literal["attempt_ended"] = "attempt_ended"
    attempt: Attempt

    @property
    def stage(self) -> PartName:
        """The attempt's stage."""
        return self.attempt.stage


class PartStored(Document):
    """A part passed its checks."""

    kind: Literal["part_stored"] = "part_stored"
    stage: PartName
    part_fingerprint: str
    recipe: str
    attempts: int = Field(ge=0)
    """Attempts it took; 0 for a part that stood already and passed its checks again."""
    figures: dict[str, int] = Field(default_factory=dict)
    """Its size, for example {"tables": 16}."""


class PartReused(Document):
    """A part was made before from the same recipe."""

    kind: Literal["part_reused"] = "part_reused"
    stage: PartName
    part_fingerprint: str
    recipe: str


class StageFailed(Document):
    """A stage gave up; the text is the error's."""

    kind: Literal["stage_failed"] = "stage_failed"
    stage: PartName
    error: str
    message: str


class PartSentBack(Document):
    """The proof of the whole found something wrong with a finished part: its author is asked again."""

    kind: Literal["part_sent_back"] = "part_sent_back"
    stage: PartName
    findings: tuple[Finding, ...]
    round: int = Field(ge=1)


class ChecksStarted(Document):
    """The proof of the whole begins."""

    kind: Literal["checks_started"] = "checks_started"
    environment: str
    """The environment's fingerprint."""


class ClaimChecked(Document):
    """One claim was tried."""

    kind: Literal["claim_checked"] = "claim_checked"
    result: CheckResult


class ChecksDone(Document):
    """The proof of the whole ended."""

    kind: Literal["checks_done"] = "checks_done"
    report: CheckReport


Event = (
    StageStarted
    | AttemptEnded
    | PartStored
    | PartReused
    | StageFailed
    | PartSentBack
    | ChecksStarted
    | ClaimChecked
    | ChecksDone
)
"""Anything a pipeline says."""

EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])
"""Reads an event back from its JSON."""

OnEvent = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Nobody listens."""
