"""Reviews: what people decided, flagged and said, and who holds which item."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from studio.models.environments import EnvironmentRecord, Revision
from studio.models.fields import PayloadField, WholeTextField
from studio.models.visibility import InProject, ProjectManager


class ReviewDecision(models.TextChoices):
    """What a reviewer decides."""

    APPROVE = "approve", "Approve"
    REQUEST_CHANGES = "request_changes", "Request changes"
    REJECT = "reject", "Reject"


class ReviewState(models.TextChoices):
    """How far a review is; only a submitted one counts."""

    DRAFT = "draft", "Draft"
    SUBMITTED = "submitted", "Submitted"
    WITHDRAWN = "withdrawn", "Withdrawn"


class ReviewQuerySet(models.QuerySet["Review"]):
    """Reads of reviews."""

    def submitted(self) -> Self:
        """The ones that count."""
        return self.filter(state=ReviewState.SUBMITTED)


class Review(InProject):
    """One person's verdict on one revision."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="reviews")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="reviews")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviews")
    state = models.CharField(max_length=12, choices=ReviewState.choices, default=ReviewState.DRAFT)
    decision = models.CharField(max_length=16, choices=ReviewDecision.choices, blank=True)
    scores = PayloadField(default=dict)
    comment = WholeTextField(blank=True)
    units = PayloadField(default=dict)
    """What it covers, by name (schema, tool:..., task:...) to the fingerprint that was seen."""
    unit_decisions = PayloadField(default=dict)
    """Decisions on single units, where they differ from the whole."""
    is_adjudication = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    submitted_at = models.DateTimeField(null=True, blank=True)

    objects = ProjectManager.from_queryset(ReviewQuerySet)()  # type: ignore[misc]

    class Meta:
        """One draft and one submitted review per person and revision."""

        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=["revision", "reviewer", "is_adjudication"],
                condition=models.Q(state="submitted"),
                name="one_submitted_review",
            ),
            models.UniqueConstraint(
                fields=["revision", "reviewer"], condition=models.Q(state="draft"), name="one_draft_review"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_decision_display() or 'Draft'} by {self.reviewer}"


class FlagReason(models.TextChoices):
    """What kind of thing is wrong."""

    TOOL_BUG = "tool_bug", "Tool bug"
    VERIFIER_WRONG = "verifier_wrong", "Verifier wrong"
    TASK_INFEASIBLE = "task_infeasible", "Task cannot be done"
    TASK_UNCLEAR = "task_unclear", "Task unclear"
    DATA_WRONG = "data_wrong", "Data wrong"
    SCHEMA_WRONG = "schema_wrong", "Schema wrong"
    POLICY_WRONG = "policy_wrong", "Policy wrong"
    UNREALISTIC = "unrealistic", "Unrealistic"
    UNSAFE_CONTENT = "unsafe_content", "Unsafe content"
    VERDICT_DISPUTED = "verdict_disputed", "Verdict disputed"
    OTHER = "other", "Something else"


class FlagSeverity(models.TextChoices):
    """How bad it is."""

    BLOCKING = "blocking", "Blocks approval"
    MAJOR = "major", "Major"
    MINOR = "minor", "Minor"


class FlagState(models.TextChoices):
    """What became of a flag; open blocking flags block approval."""

    OPEN = "open", "Open"
    SENT_BACK = "sent_back", "Sent back"
    RESOLVED = "resolved", "Resolved"
    WITHDRAWN = "withdrawn", "Withdrawn"


def blocking_severities() -> list[str]:
    """Severities that stand in the way of approval: that of WORLDWRIGHT_GATE_FLAGS and worse."""
    worst_first = [severity.value for severity in FlagSeverity]
    return worst_first[: worst_first.index(settings.WORLDWRIGHT.gate_flags) + 1]


class FlagQuerySet(models.QuerySet["Flag"]):
    """Reads of flags."""

    def open(self) -> Self:
        """Neither settled nor sent back."""
        return self.filter(state=FlagState.OPEN)

    def blocking(self) -> Self:
        """Open, and bad enough to stand in the way of approval and export."""
        return self.open().filter(severity__in=blocking_severities())

    def waived(self) -> Self:
        """Open, and not bad enough for that."""
        return self.open().exclude(severity__in=blocking_severities())


class Flag(InProject):
    """Something a person says is wrong, with evidence."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="flags")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="flags")
    review = models.ForeignKey(Review, on_delete=models.SET_NULL, null=True, blank=True, related_name="flags")
    raised_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="flags")
    reason = models.CharField(max_length=24, choices=FlagReason.choices)
    severity = models.CharField(max_length=10, choices=FlagSeverity.choices, default=FlagSeverity.BLOCKING)
    part = models.CharField(max_length=16, blank=True)
    where = models.CharField(max_length=200, blank=True)
    """Place within the part: a table, a tool, a task."""
    comment = WholeTextField(blank=True)
    evidence = PayloadField(default=dict)
    """A step ({"trajectory", "step"}), a row ({"table", "key"}) or a call ({"tool", "arguments", ...})."""
    state = models.CharField(max_length=10, choices=FlagState.choices, default=FlagState.OPEN, db_index=True)
    resolution = WholeTextField(blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    resolved_at = models.DateTimeField(null=True, blank=True)

    objects = ProjectManager.from_queryset(FlagQuerySet)()  # type: ignore[misc]

    class Meta:
        """Newest first."""

        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.get_reason_display()}: {self.where or self.part}"

    @property
    def blocks(self) -> bool:
        """Whether it blocks approval."""
        return self.state == FlagState.OPEN and self.severity in blocking_severities()


class AnchorKind(models.TextChoices):
    """What a comment is about."""

    ENVIRONMENT = "environment", "Environment"
    PART = "part", "Part"
    TABLE = "table", "Table"
    ROW = "row", "Row"
    COLUMN = "column", "Column"
    CELL = "cell", "Cell"
    TOOL = "tool", "Tool"
    LINES = "lines", "Lines of code"
    TASK = "task", "Task"
    VERIFIER = "verifier", "Verifier"
    STEP = "step", "Step"
    CHECK = "check", "Claim"


class CommentQuerySet(models.QuerySet["Comment"]):
    """Reads of comments."""

    def visible_to(self, user_id: int | None) -> Self:
        """All but what others have not sent yet."""
        return self.exclude(~models.Q(author_id=user_id), pending=True)


class Comment(InProject):
    """Something said about one place; the place is kept as it was."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="comments")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments")
    parent = models.ForeignKey["Comment | None"](
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="replies"
    )
    anchor_kind = models.CharField(max_length=12, choices=AnchorKind.choices, default=AnchorKind.ENVIRONMENT)
    anchor = models.CharField(max_length=300, blank=True)
    snapshot = WholeTextField(blank=True)
    """What stood at the place when the thread began."""
    unit = models.CharField(max_length=200, blank=True)
    unit_fingerprint = models.CharField(max_length=64, blank=True)
    """Fingerprint of what the place belongs to: another one now means outdated."""
    body = WholeTextField()
    pending = models.BooleanField(default=False)
    """Whether it waits for its author's review: nobody else sees it before."""
    review = models.ForeignKey(
        Review, on_delete=models.SET_NULL, null=True, blank=True, related_name="comments"
    )
    """The review it was sent with."""
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    objects = ProjectManager.from_queryset(CommentQuerySet)()  # type: ignore[misc]

    class Meta:
        """Oldest first."""

        ordering = ("id",)
        indexes = (models.Index(fields=["environment", "anchor_kind", "anchor"]),)

    def __str__(self) -> str:
        return f"{self.author} on {self.anchor or self.anchor_kind}"


class ClaimQuerySet(models.QuerySet["Claim"]):
    """Reads of claims."""

    def active(self) -> Self:
        """Neither released nor expired."""
        return self.filter(released_at__isnull=True, expires_at__gt=Now())


class Claim(InProject):
    """Who holds an item of the queue, and until when; as many seats as reviewers are asked.

    `assigned_by` is the lead who gave it to the reviewer, or None where the reviewer took it.
    """

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="claims")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="claims")
    seat = models.PositiveSmallIntegerField(default=1)
    assigned_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    claimed_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True, blank=True)

    objects = ProjectManager.from_queryset(ClaimQuerySet)()  # type: ignore[misc]

    class Meta:
        """The database refuses two holders of one seat."""

        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=["environment", "seat"],
                condition=models.Q(released_at__isnull=True),
                name="one_holder_per_seat",
            ),
            models.UniqueConstraint(
                fields=["environment", "reviewer"],
                condition=models.Q(released_at__isnull=True),
                name="one_seat_per_holder",
            ),
        )

    def __str__(self) -> str:
        return f"{self.environment} held by {self.reviewer}"


class AnswerKind(models.TextChoices):
    """What a reviewer found of one task, table or tool."""

    RIGHT = "right", "Right"
    WRONG = "wrong", "Wrong"
    UNSURE = "unsure", "Not sure"


class UnitAnswer(InProject):
    """That one person saw one unit as it is, and what they found of it, if they said so."""

    environment = models.ForeignKey(EnvironmentRecord, on_delete=models.CASCADE, related_name="answers")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="answers")
    unit = models.CharField(max_length=200)
    """task:..., table:..., tool:... or question:..."""
    fingerprint = models.CharField(max_length=64)
    """Of the unit's content as it was seen: an answer about other content counts for nothing."""
    answer = models.CharField(max_length=8, choices=AnswerKind.choices, blank=True)
    place = models.CharField(max_length=80, blank=True)
    """Which part of the unit the note is about."""
    note = WholeTextField(blank=True)
    flag = models.ForeignKey(Flag, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    seen_at = models.DateTimeField(default=timezone.now)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """A person has one answer about one content of a unit."""

        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=["environment", "reviewer", "unit", "fingerprint"], name="one_answer_per_content"
            ),
        )

    def __str__(self) -> str:
        return f"{self.unit}: {self.get_answer_display() or 'seen'}"
