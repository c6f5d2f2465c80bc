"""Invitations: links with which somebody makes an account of their own."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from studio.models.roles import Role


class Invitation(models.Model):
    """One link for one person; only its digest is stored."""

    digest = models.CharField(max_length=64, unique=True)
    note = models.CharField(max_length=120)
    """For whom it is, in the words of whoever invited."""
    role = models.CharField(max_length=20, choices=Role.choices)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="invitations"
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="accepted_invitation",
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """Newest first."""

        ordering = ("-id",)

    def __str__(self) -> str:
        return f"invitation for {self.note}"

    @property
    def state(self) -> str:
        """Whether it can be used now: "pending", "accepted", "expired" or "revoked"."""
        if self.accepted_at is not None:
            return "accepted"
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at <= timezone.now() else "pending"
