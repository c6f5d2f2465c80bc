"""Quality: grades that a judge model gave to environments."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from studio.models.environments import EnvironmentRecord, Revision
from studio.models.fields import PayloadField
from studio.models.runs import Run
from studio.models.visibility import InProject
from synthesis.documents.quality import QualityGrade


class QualityRecord(InProject):
    """One grading of one revision; the newest of the current revision counts."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="quality")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="quality")
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, blank=True, related_name="quality")
    judge = models.CharField(max_length=120)
    scores = PayloadField(default=dict)
    """Criterion to a score from 1 to 5."""
    bug_kinds = PayloadField(default=list)
    """The kind of each bug, in order."""
    bugs = models.PositiveIntegerField(default=0)
    blocked = models.PositiveIntegerField(default=0)
    """Tasks that a bug makes impossible."""
    cost = models.FloatField(null=True)
    document = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Newest first."""

        verbose_name = "quality grade"
        ordering = ("-id",)
        indexes = (models.Index(fields=["environment", "-id"]),)

    def __str__(self) -> str:
        return f"quality of {self.revision}"

    def load(self) -> QualityGrade:
        """The grade's document."""
        return QualityGrade.model_validate_json(self.document)
