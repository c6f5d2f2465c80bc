"""Keys of model endpoints that one project pays with."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from studio.models.projects import Project


class EndpointKey(models.Model):
    """A project's own key for an endpoint of the settings; its runs use it in place of theirs."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    endpoint = models.CharField(max_length=80, blank=True)
    """Its name in WORLDWRIGHT_ENDPOINTS; empty for that of OPENAI_BASE_URL."""
    sealed = models.TextField()
    """The key, encrypted; nothing but a run of the project reads it."""
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    set_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """By endpoint; a project has one key for each."""

        verbose_name = "endpoint key"
        ordering = ("project", "endpoint")
        constraints = (models.UniqueConstraint(fields=["project", "endpoint"], name="one_key_per_endpoint"),)

    def __str__(self) -> str:
        return f"key of {self.project} for {self.endpoint or 'the default endpoint'}"
