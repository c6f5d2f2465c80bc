"""The ledger: one row per call to a model."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from studio.models.fields import WholeTextField
from studio.models.projects import Project
from studio.models.runs import Run
from studio.models.visibility import InProject


class LlmCall(InProject):
    """One call, what it used and how it ended; never the key it was made with."""

    visible_through = "project"

    project = models.ForeignKey(Project, on_delete=models.SET_NULL, null=True, related_name="llm_calls")
    """Whose budget pays; None once the project was deleted, when administrators alone read it."""
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, related_name="llm_calls")
    stage = models.CharField(max_length=40, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    provider = models.CharField(max_length=80)
    model = models.CharField(max_length=120)
    input_tokens = models.PositiveIntegerField(default=0)
    cached_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    reasoning_tokens = models.PositiveIntegerField(default=0)
    """Those of the output that were reasoning, where the endpoint says so."""
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    seconds = models.FloatField(default=0.0)
    outcome = models.CharField(max_length=40, db_index=True)
    """ "ok", or the name of the error."""
    error = WholeTextField(blank=True)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        """Newest first."""

        verbose_name = "model call"
        ordering = ("-id",)
        indexes = (models.Index(fields=["run", "stage"]),)

    def __str__(self) -> str:
        return f"{self.model}: {self.outcome}"


class LlmRecording(models.Model):
    """An answer of a model by the question's key, so that a run that goes on pays for nothing twice."""

    key = models.CharField(max_length=64, unique=True)
    document = models.TextField()
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Newest first."""

        verbose_name = "model recording"
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.key[:12]
