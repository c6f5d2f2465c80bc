"""Portraits: what each revision contributes to the report on diversity, measured once."""

from __future__ import annotations

from django.db import models

from studio.models.environments import Revision
from synthesis.diversity import Portrait


class PortraitRecord(models.Model):
    """The portrait of one revision."""

    revision = models.OneToOneField(
        Revision, on_delete=models.CASCADE, primary_key=True, related_name="portrait"
    )
    document = models.TextField()

    class Meta:
        """As stored."""

        verbose_name = "portrait"

    def __str__(self) -> str:
        return f"portrait of {self.revision}"

    def load(self) -> Portrait:
        """The portrait's document."""
        return Portrait.model_validate_json(self.document)
