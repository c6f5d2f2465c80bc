"""How a claim answers: findings and figures."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue

from synthesis.documents.finding import Finding, PartName, Severity


class Answer:
    """What trying a claim came to; it holds when no finding blocks.

    Args:
        claim: Name of the claim, which is the `check` of its findings.
    """

    def __init__(self, claim: str) -> None:
        self.claim = claim
        self.findings: list[Finding] = []
        self.figures: dict[str, JsonValue] = {}

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

    def counts(self, **figures: JsonValue) -> None:
        """Figures behind the answer."""
        self.figures.update(figures)

    @property
    def holds(self) -> bool:
        """Whether the claim holds."""
        return not any(finding.blocks for finding in self.findings)
