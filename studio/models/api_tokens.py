"""Tokens with which programs sign in; only their digests are kept."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from studio.models.projects import Project
from studio.models.scopes import all_scopes


class ApiToken(models.Model):
    """One token of one person; it may do what the person may, within its scopes."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=12)
    """The token's first characters, to tell tokens apart."""
    scopes = models.JSONField(default=all_scopes)
    """Values of `Scope`."""
    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    """The only project it opens; every one of its person's when None."""
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """Newest first."""

        verbose_name = "API token"
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}...)"

    @property
    def state(self) -> str:
        """Whether it opens anything now: "valid", "expired" or "revoked"."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= timezone.now() else "valid"
