"""Conversations: what chat agents said and were shown, apart from the trajectories because it is long."""

from __future__ import annotations

from django.db import models

from studio.models.trajectories import TrajectoryRecord
from studio.models.visibility import InProject
from synthesis.documents.conversation import Conversation


class ConversationRecord(InProject):
    """The conversation of one trajectory."""

    visible_through = "trajectory"

    trajectory = models.OneToOneField(
        TrajectoryRecord, on_delete=models.CASCADE, primary_key=True, related_name="conversation"
    )
    document = models.TextField()

    class Meta:
        """As stored."""

        verbose_name = "conversation"

    def __str__(self) -> str:
        return f"conversation of trajectory {self.pk}"

    def load(self) -> Conversation:
        """The conversation's document."""
        return Conversation.model_validate_json(self.document)
