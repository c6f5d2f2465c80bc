"""Candidates: scenarios that an expansion proposed, kept or rejected with the reason."""

from __future__ import annotations

from django.db import models

from studio.models.fields import PayloadField, WholeTextField
from studio.models.runs import Run
from studio.models.visibility import InProject


class CandidateDecision(models.TextChoices):
    """What became of a candidate."""

    ACCEPTED = "accepted", "Accepted"
    DUPLICATE = "duplicate", "Duplicate"
    CATEGORY_FULL = "category_full", "Category full"
    UNSUITABLE = "unsuitable", "Not suitable"
    UNREADABLE = "unreadable", "Not readable"


class SimilarityMethod(models.TextChoices):
    """How a candidate was compared with those that were kept before."""

    CHARACTERS = "characters", "TF-IDF over character n-grams"
    EMBEDDING = "embedding", "Cosine of embeddings"


class ScenarioCandidate(InProject):
    """One proposed scenario with its nearest neighbour and its suitability."""

    visible_through = "batch"

    batch = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="candidates")
    position = models.PositiveIntegerField()
    name = WholeTextField()
    category = WholeTextField()
    description = WholeTextField()
    seed = WholeTextField(blank=True)
    decision = models.CharField(max_length=16, choices=CandidateDecision.choices, db_index=True)
    reason = WholeTextField(blank=True)
    nearest = WholeTextField(blank=True)
    neighbour = models.ForeignKey["ScenarioCandidate | None"](
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="resembling"
    )
    """The kept candidate that `nearest` names."""
    similarity = models.FloatField(default=0.0)
    method = models.CharField(max_length=16, choices=SimilarityMethod.choices, blank=True)
    round = models.PositiveIntegerField(default=0)
    run = models.OneToOneField(
        Run, on_delete=models.SET_NULL, null=True, blank=True, related_name="candidate"
    )
    """The run that makes its environment, when it was kept."""
    suitability = PayloadField(null=True)
    """Score, level, categories, what can and cannot be simulated; None when it was not classified."""

    class Meta:
        """In the order they were proposed."""

        verbose_name = "scenario candidate"
        ordering = ("batch", "position")
        constraints = (models.UniqueConstraint(fields=["batch", "position"], name="candidate_position_once"),)

    def __str__(self) -> str:
        return f"{self.name}: {self.decision}"
