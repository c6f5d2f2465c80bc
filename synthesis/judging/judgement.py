"""Judgement: a verdict with who gave it and by what."""

from __future__ import annotations

from typing import Literal, Protocol

from synthesis.documents.document import Document
from synthesis.documents.trajectory import Usage
from synthesis.documents.verdict import Verdict
from synthesis.judging.evidence import JudgingEvidence

Strategy = Literal["code_only", "model_only", "code_augmented", "rules"]
"""What decides: the environment's code; a model that does not see what code says; a model that does;
rules.
"""


class Judgement(Document):
    """One judgement of one episode."""

    verdict: Verdict
    strategy: Strategy
    judge: str
    """Who: "verifier", "rules" or "judge:<model>"."""
    prompt_fingerprint: str | None = None
    model: str | None = None
    usage: Usage | None = None
    """With its cost where the price is known."""


class Judge(Protocol):
    """Judges episodes."""

    @property
    def name(self) -> str:
        """Who it is, for records."""
        ...

    def judge(self, evidence: JudgingEvidence) -> Judgement:
        """The judgement of one episode.

        Raises:
            ProviderError: A model was asked and did not answer.
        """
        ...
