"""Diversity profiles: what each revision contributes to the report on diversity, measured once."""

from __future__ import annotations

from django.db import models

from studio.models.environments import Revision
from studio.models.visibility import InProject
from synthesis.diversity import DiversityProfile


class DiversityProfileRecord(InProject):
    """The diversity profile of one revision."""

    visible_through = "revision"

    revision = models.OneToOneField(
        Revision, on_delete=models.CASCADE, primary_key=True, related_name="diversity_profile"
    )
    document = models.TextField()

    class Meta:
        """As stored."""

        verbose_name = "diversity_profile"

    def __str__(self) -> str:
        return f"diversity profile of {self.revision}"

    def load(self) -> DiversityProfile:
        """The diversity profile's document."""
        return DiversityProfile.model_validate_json(self.document)
