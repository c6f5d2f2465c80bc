"""Change lists: objections that a lead accepted, who works them off, and what they changed so far."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from studio.models.environments import EnvironmentRecord, Revision
from studio.models.fields import PayloadField
from studio.models.reviews import Flag, FlagState, Review
from studio.models.visibility import InProject


class ChangeListState(models.TextChoices):
    """How far the work is."""

    OPEN = "open", "In work"
    FINISHED = "finished", "Finished"
    WITHDRAWN = "withdrawn", "Withdrawn"


class ChangeList(InProject):
    """What a person is to change in an environment; their edits are gathered here until one proof is run."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="change_lists")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="change_lists")
    """The revision that the objections are about and the work begins with."""
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="accepted_change_lists"
    )
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="change_lists"
    )
    until = models.DateField()
    """The day on which it should be done."""
    flags = models.ManyToManyField(Flag, related_name="change_lists", blank=True)
    reviews = models.ManyToManyField(Review, related_name="change_lists", blank=True)
    parts = PayloadField(default=dict)
    """Parts that differ from the revision so far, by name; null for one that was taken away."""
    edits = PayloadField(default=list)
    """The reason of each edit, in order."""
    state = models.CharField(
        max_length=10, choices=ChangeListState.choices, default=ChangeListState.OPEN, db_index=True
    )
    outcome = models.ForeignKey(
        Revision, on_delete=models.SET_NULL, null=True, blank=True, related_name="worked_off"
    )
    """The revision that all edits became."""
    created_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """An environment has one list in work."""

        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=["environment"], condition=models.Q(state="open"), name="one_open_change_list"
            ),
        )

    def __str__(self) -> str:
        return f"changes to {self.environment} by {self.assignee}"

    def withdraw(self) -> None:
        """Close it without a revision; its flags are open again."""
        sent_back = Flag.all_projects.filter(change_lists=self, state=FlagState.SENT_BACK)
        sent_back.update(state=FlagState.OPEN)
        self.state, self.closed_at = ChangeListState.WITHDRAWN, timezone.now()
        self.save(update_fields=["state", "closed_at"])
