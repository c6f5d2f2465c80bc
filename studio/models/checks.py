"""What was proved about a revision."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from studio.models.environments import Revision
from studio.models.fields import PayloadField, WholeTextField
from studio.models.visibility import InProject
from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.finding import Finding


class CheckReportRecord(InProject):
    """All claims tried on one revision; the newest report of a revision counts."""

    visible_through = "revision"

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="reports")
    passed = models.BooleanField()
    seconds = models.FloatField(default=0.0)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Newest first."""

        verbose_name = "check report"
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"proof of {self.revision}: {'passed' if self.passed else 'failed'}"

    def load(self) -> CheckReport:
        """The report's document."""
        results = tuple(result.load() for result in self.results.all())
        return CheckReport(environment=self.revision.fingerprint, results=results)


class CheckResultRecord(InProject):
    """One claim and whether it holds."""

    visible_through = "report"

    report = models.ForeignKey(CheckReportRecord, on_delete=models.CASCADE, related_name="results")
    position = models.PositiveIntegerField()
    claim = models.CharField(max_length=120, db_index=True)
    description = WholeTextField(blank=True)
    passed = models.BooleanField()
    findings = PayloadField(default=list)
    figures = PayloadField(default=dict)
    scores = PayloadField(default=list)
    """How often what was tried on each task or tool came out right."""
    trials = PayloadField(default=list)
    """Every end that a verifier was shown, see `synthesis.documents.check_report.Trial`."""
    questions = PayloadField(default=list)
    """What code can only doubt, see `synthesis.documents.question.Question`."""
    reused = models.BooleanField(default=False)
    """Taken over from the revision before, because nothing the claim depends on changed."""

    class Meta:
        """In the order in which claims are tried."""

        verbose_name = "check result"
        ordering = (
            "report",
            "position",
        )

    def __str__(self) -> str:
        return f"{self.claim}: {'passed' if self.passed else 'failed'}"

    @property
    def title(self) -> str:
        """The claim as words."""
        return self.description or self.claim.replace("_", " ").capitalize()

    def finding_documents(self) -> tuple[Finding, ...]:
        """The findings as documents."""
        return tuple(Finding.model_validate(finding) for finding in self.findings)

    def load(self) -> CheckResult:
        """The result's document."""
        return CheckResult(
            claim=self.claim,
            description=self.description,
            passed=self.passed,
            findings=self.finding_documents(),
            figures=self.figures,
            scores=self.scores,
            trials=self.trials,
            questions=self.questions,
        )
