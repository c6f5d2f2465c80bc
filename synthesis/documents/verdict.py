"""Verdict: what one episode was worth, or that it could not be measured."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from synthesis.documents.document import Document

Label = Literal["completed", "partially_completed", "agent_error", "environment_error", "unscored"]
"""The four labels of AWM (arXiv 2602.10090) and Unscored: a failed measurement is never a score."""

LABEL_TITLES: dict[Label, str] = {
    "completed": "Completed",
    "partially_completed": "Partially Completed",
    "agent_error": "Agent Error",
    "environment_error": "Environment Error",
    "unscored": "Unscored",
}


PUT_BACK = "rows written and put back"
"""Name of the guard that reports rows which some call changed and a later one put back as they were, where
no guard of the verifier allows a change."""


class CheckOutcome(Document):
    """One check a verifier made, with what it saw."""

    name: str
    passed: bool
    guard: bool = False
    """A guard must hold for Completed but earns no share."""
    detail: JsonValue = None
    unclear: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether code could not tell: it counts as not passed, people see it first, and a judge may decide."""


class Scored(Document):
    """A measurement that went through."""

    status: Literal["scored"] = "scored"
    label: Label
    reward: float
    basis: str
    """By what: "verifier", "judge:<model>", "rules", "format"."""
    share: float = Field(ge=0, le=1)
    """Share of goals reached, in [0, 1]; guards count towards none."""
    outcomes: tuple[CheckOutcome, ...] = ()
    explanation: str = ""
    unclear: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Names of facts of which the answer says something that code cannot decide; they count as not said."""
    trainable: bool = True
    """False where the outcome says nothing about the agent (an environment error): not for training."""

    @property
    def unclear_first(self) -> tuple[CheckOutcome, ...]:
        """The outcomes as people look at them: what code could not tell before everything else."""
        return tuple(sorted(self.outcomes, key=lambda outcome: not outcome.unclear))


class Unscored(Document):
    """A measurement that failed: the verifier raised, ran out of time or died; not a pass, not a zero."""

    status: Literal["unscored"] = "unscored"
    error: str
    basis: str = "verifier"

    @property
    def label(self) -> Label:
        """Always "unscored"."""
        return "unscored"

    @property
    def reward(self) -> None:
        """There is none."""
        return

    @property
    def trainable(self) -> bool:
        """Always False."""
        return False


Verdict = Annotated[Scored | Unscored, Field(discriminator="status")]
"""What one episode was worth, or that it could not be measured."""
