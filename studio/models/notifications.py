"""Notifications: what somebody is told because it concerns them, once each."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.utils import timezone

from studio.models.environments import EnvironmentRecord
from studio.models.fields import WholeTextField
from studio.models.visibility import InProject, ProjectManager


class NotificationKind(models.TextChoices):
    """Why somebody is told."""

    MENTION = "mention", "Mention"
    ASSIGNMENT = "assignment", "Assignment"
    RETURNED = "returned", "Back for review"
    DECISION = "decision", "Decision"


class NotificationQuerySet(models.QuerySet["Notification"]):
    """Reads of notifications."""

    def unread(self) -> Self:
        """Those that nobody opened yet."""
        return self.filter(read_at__isnull=True)


class Notification(InProject):
    """One event, told to one person."""

    follows_choice = False

    recipient = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notifications"
    )
    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="notifications")
    kind = models.CharField(max_length=12, choices=NotificationKind.choices)
    event = models.CharField(max_length=120)
    """What happened, for example "mention:17": the same event is told to a person once."""
    text = models.CharField(max_length=300)
    quote = WholeTextField(blank=True)
    """What was said, for example in a comment."""
    address = models.CharField(max_length=2_000)
    """Path of the place that it is about, within the studio."""
    created_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True, blank=True)
    mail_due_at = models.DateTimeField(null=True, blank=True, db_index=True)
    """When it is next to be sent by e-mail; None where it is not, or was handed over."""
    mail_attempts = models.PositiveSmallIntegerField(default=0)
    mail_error = models.CharField(max_length=300, blank=True)

    objects = ProjectManager.from_queryset(NotificationQuerySet)()  # type: ignore[misc]

    class Meta:
        """Newest first; an event is told to a person once."""

        ordering = ("-id",)
        indexes = (models.Index(fields=["recipient", "read_at"]),)
        constraints = (
            models.UniqueConstraint(fields=["recipient", "event"], name="one_notification_per_event"),
        )

    def __str__(self) -> str:
        return self.text
