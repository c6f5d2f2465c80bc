"""Views of a list that a person keeps under a name."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class SavedFilter(models.Model):
    """One person's filters, order and columns of the catalogue, as the query string that reproduces them."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_filters")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """By name; a name is unique per person."""

        verbose_name = "saved filter"
        ordering = ("name", "id")
        constraints = (models.UniqueConstraint(fields=["user", "name"], name="one_saved_filter_per_name"),)

    def __str__(self) -> str:
        return self.name
