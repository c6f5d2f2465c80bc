"""Which revision of an environment a person looked at last."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from studio.models.environments import EnvironmentRecord
from studio.models.visibility import InProject


class VisitedRevision(InProject):
    """The newest revision of an environment that a person has seen, so that they are shown what changed."""

    follows_choice: ClassVar[bool] = False

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="visited_revisions"
    )
    environment = models.ForeignKey(
        EnvironmentRecord, on_delete=models.CASCADE, related_name="visited_revisions"
    )
    number = models.PositiveIntegerField()

    class Meta:
        """One for each person and environment."""

        constraints = (
            models.UniqueConstraint(fields=["user", "environment"], name="one_visited_revision_each"),
        )

    def __str__(self) -> str:
        return f"revision {self.number} of {self.environment} by {self.user}"
