"""Comments: threads at one place of an environment, kept readable after the place changed."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from studio.models import Act, AnchorKind, Comment, EnvironmentRecord, Review
from studio.services.notifications import notifications
from studio.services.projects import membership
from synthesis.errors import InvalidInput

LONGEST = 10_000
AT_ONCE = timedelta(seconds=10)
"""How long the same words at the same place are the same comment."""


@transaction.atomic
def add_comment(
    *,
    record: EnvironmentRecord,
    author: User,
    body: str,
    anchor_kind: str = AnchorKind.ENVIRONMENT,
    anchor: str = "",
    snapshot: str = "",
    unit: str = "",
    parent: Comment | None = None,
    address: str = "",
    pending: bool = False,
) -> Comment:
    """Say something about a place; a reply takes the place of its thread. Whom it names as @name is notified.

    Args:
        record: The environment.
        author: Who says it.
        body: What, as Markdown.
        anchor_kind: One of `AnchorKind`.
        anchor: The place, for example "cancel_appointment" or "invoices/17".
        snapshot: The present content.
        unit: The unit it belongs to (schema, tool:..., task:...), whose change makes the thread outdated.
        parent: The comment that is answered.
        address: The page on which it is written, to which notifications lead.
        pending: Whether nobody sees it before its author submits a review; an answer is sent at once.

    Raises:
        Forbidden: The person may not comment.
        InvalidInput: The text is empty or too long, or the place is none.
    """
    membership.require_in(author, record.project_id, Act.COMMENT)
    if not body.strip() or len(body) > LONGEST:
        raise InvalidInput(f"A comment has 1 to {LONGEST:,} characters.")
    if anchor_kind not in AnchorKind.values or len(anchor) > 300:
        raise InvalidInput(f"{anchor_kind!r} {anchor!r} is not a place that can be commented on.")
    assert record.current is not None
    thread = (parent.parent or parent) if parent is not None else None
    if thread is not None:
        anchor_kind, anchor, snapshot, unit = thread.anchor_kind, thread.anchor, "", thread.unit
    # Sent twice or thrice by an impatient press, it is said once: whoever comes later waits for the first.
    EnvironmentRecord.objects.select_for_update().get(pk=record.pk)
    same = Comment.objects.filter(
        environment=record,
        author=author,
        parent=thread,
        body=body,
        anchor_kind=anchor_kind,
        anchor=anchor,
        created_at__gte=timezone.now() - AT_ONCE,
    ).first()
    if same is not None:
        return same
    comment = Comment.objects.create(
        environment=record,
        revision=record.current,
        author=author,
        parent=thread,
        anchor_kind=anchor_kind,
        anchor=anchor,
        snapshot=snapshot,
        unit=unit,
        unit_fingerprint=record.current.units.get(unit, ""),
        body=body,
        pending=pending and thread is None,
    )
    if not comment.pending:
        notifications.comment_written(comment, address=address)
    return comment


def send_pending(review: Review) -> int:
    """Send what a reviewer kept for their review; whom it names is notified. Returns how many."""
    waiting = list(
        Comment.objects.filter(environment=review.environment, author=review.reviewer, pending=True)
    )
    page = reverse("environment_review", args=[review.environment.name])
    for comment in waiting:
        comment.pending, comment.review = False, review
        comment.save(update_fields=["pending", "review"])
        notifications.comment_written(comment, address=page)
    return len(waiting)


def resolve(*, comment: Comment, user: User, resolved: bool = True) -> Comment:
    """Mark a thread as settled, or open it again.

    Raises:
        Forbidden: The person may not comment.
    """
    membership.require_in(user, comment.environment.project_id, Act.COMMENT)
    comment.resolved_at = timezone.now() if resolved else None
    comment.resolved_by = user if resolved else None
    comment.save(update_fields=["resolved_at", "resolved_by"])
    return comment


def is_outdated(*, comment: Comment, record: EnvironmentRecord) -> bool:
    """Whether what the comment is about has changed since."""
    if not comment.unit or record.current is None:
        return False
    return bool(record.current.units.get(comment.unit) != comment.unit_fingerprint)
