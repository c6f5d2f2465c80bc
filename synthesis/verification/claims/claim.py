"""How a claim answers: findings and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from pydantic import JsonValue

from synthesis.documents.check_report import CallCount, Score, Trial
from synthesis.documents.finding import Finding, PartName, Severity
from synthesis.documents.question import Question


class ClaimOutcome:
    """What trying a claim came to; it holds when no finding blocks.

    Args:
        claim: Name of the claim, which is the `check` of its findings.
    """

    def __init__(self, claim: str) -> None:
        self.claim = claim
        self.findings: list[Finding] = []
        self.figures: dict[str, JsonValue] = {}
        self.trials: list[Trial] = []
        self.scores: list[Score] = []
        self.questions: tuple[Question, ...] = ()
        self._explained_by = ""

    def finds(
        self,
        part: PartName,
        message: str,
        *,
        where: str = "",
        severity: Severity = "error",
        evidence: JsonValue = None,
    ) -> None:
        """One thing that contradicts the claim."""
        self.findings.append(
            Finding(
                part=part,
                check=self.claim,
                message=message,
                where=where,
                severity=severity,
                evidence=evidence,
            )
        )

    def takes(self, findings: Iterable[Finding]) -> None:
        """Findings that others made, under this claim."""
        self.findings += [finding.replace(check=self.claim) for finding in findings]

    def follows_from(self, claim: str) -> None:
        """Say that it does not hold, and that the cause is among the findings of another claim."""
        self._explained_by = claim
        self.counts(explained_by=claim)

    def tried(self, trial: Trial) -> None:
        """One thing that was tried; it counts for the score of its subject."""
        self.trials.append(trial)

    def scored(
        self,
        subject: str,
        *,
        tried: int,
        right: int,
        calls: tuple[CallCount, ...] = (),
        expected: Literal["refused", "accepted"] | None = None,
    ) -> None:
        """How often what was tried on a task or a tool came out right; it counts instead of the trials."""
        self.scores.append(Score(subject=subject, tried=tried, right=right, calls=calls, expected=expected))

    @property
    def all_scores(self) -> tuple[Score, ...]:
        """The scores that were given, and those that follow from the trials."""
        given = {score.subject for score in self.scores}
        subjects = dict.fromkeys(trial.subject for trial in self.trials if trial.subject not in given)
        right = Counter(trial.subject for trial in self.trials if trial.right)
        tried = Counter(trial.subject for trial in self.trials)
        return (
            *self.scores,
            *(Score(subject=name, tried=tried[name], right=right[name]) for name in subjects),
        )

    def asks(self, questions: tuple[Question, ...]) -> None:
        """What people are asked."""
        self.questions = questions
        self.counts(questions=len(questions))

    def counts(self, **figures: JsonValue) -> None:
        """Figures behind the answer."""
        self.figures.update(figures)

    @property
    def holds(self) -> bool:
        """Whether the claim holds."""
        return not self._explained_by and not any(finding.blocks for finding in self.findings)
