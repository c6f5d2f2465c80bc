"""What the studio knows of a person beside Django's account."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class PersonProfile(models.Model):
    """One person's fields of expertise, and when they last asked for anything."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="profile")
    expertise = models.JSONField(default=list)
    """Fields in lower case, without repetition, for example ["lending", "health care"]."""
    mails = models.BooleanField(default=True)
    """Whether notifications come by e-mail, too."""
    last_seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """In the order of accounts."""

        verbose_name = "profile"
        ordering = ("user_id",)

    def __str__(self) -> str:
        return f"profile of {self.user_id}"
