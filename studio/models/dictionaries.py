"""Versions of an environment's dictionary: what people called things, who changed it, and when."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from studio.models.environments import EnvironmentRecord
from studio.models.fields import PayloadField
from studio.models.visibility import InProject


class DictionaryVersion(InProject):
    """One version of a dictionary; the newest is in use."""

    environment = models.ForeignKey(
        EnvironmentRecord, on_delete=models.CASCADE, related_name="dictionary_versions"
    )
    number = models.PositiveIntegerField()
    editor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    document = PayloadField(default=dict)
    """See `synthesis.documents.dictionary`."""
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Newest first; the database refuses two versions of one number."""

        ordering = ("-number",)
        constraints = (
            models.UniqueConstraint(fields=["environment", "number"], name="one_dictionary_version"),
        )

    def __str__(self) -> str:
        return f"dictionary of {self.environment_id}, version {self.number}"
