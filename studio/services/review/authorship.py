"""Authorship: who wrote what is to be approved, and so does not approve it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Max, Q

from studio.models import EnvironmentRecord, Review, ReviewDecision, Revision
from studio.services.errors import Forbidden


def refuse_author(user: User, record: EnvironmentRecord) -> None:
    """The two-person rule. Who wrote a version that others went on from wrote what is in it now, too.

    Raises:
        Forbidden: The person made the revision, a version of a part that is still in it, or a revision since
            the last one that somebody else approved.
    """
    assert record.current is not None
    approved = (
        Review.objects.submitted()
        .filter(environment=record, decision=ReviewDecision.APPROVE)
        .exclude(reviewer=user)
        .aggregate(newest=Max("revision__number", default=0))["newest"]
    )
    written = Revision.objects.filter(
        Q(author=user) | Q(parts__author=user), environment=record, number__gt=approved
    )
    if record.current.parts.filter(author=user).exists() or written.exists():
        raise Forbidden(
            "You edited this revision, so somebody else must review it.",
            remedy="Ask another reviewer.",
        )
