"""CheckReport: what was proved about an environment, with figures; the content of checks.json."""

from __future__ import annotations

from pydantic import Field, JsonValue

from synthesis.documents.document import Document
from synthesis.documents.finding import Finding


class CheckResult(Document):
    """One claim about an environment and whether it holds."""

    claim: str = Field(min_length=1, max_length=120)
    """The name of the check, which reads as a claim."""
    description: str = ""
    """The claim as a sentence for people."""
    passed: bool
    findings: tuple[Finding, ...] = ()
    figures: dict[str, JsonValue] = Field(default_factory=dict)
    """Counts behind the result, for example {"tools": 28, "calls": 311}."""


class CheckReport(Document):
    """All claims tried on one environment."""

    environment: str
    """Fingerprint of the environment the claims were tried on."""
    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every claim holds."""
        return all(result.passed for result in self.results)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found, in the order of the claims."""
        return tuple(finding for result in self.results for finding in result.findings)
