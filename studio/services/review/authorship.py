"""Authorship: who wrote what is to be approved, and so does not approve it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Q, Subquery
from django.db.models.functions import Coalesce

from studio.models import EnvironmentRecord, Review, ReviewDecision, Revision
from studio.services.errors import Forbidden


def refuse_author(user: User, record: EnvironmentRecord) -> None:
    """The two-person rule. Who wrote a version that others went on from wrote what is in it now, too.

    Raises:
        Forbidden: The person made the revision, a version of a part that is still in it, or a revision since
            the last one that somebody else approved.
    """
    approved = (
        Review.objects.submitted()
        .filter(environment=record, decision=ReviewDecision.APPROVE)
        .exclude(reviewer=user)
        .order_by("-revision__number")
        .values("revision__number")[:1]
    )
    since = Q(pk=record.current_id) | Q(number__gt=Coalesce(Subquery(approved), 0))
    written = Revision.objects.filter(Q(author=user) | Q(parts__author=user), since, environment=record)
    if written.exists():
        raise Forbidden(
            "You edited this revision, so somebody else must review it.",
            remedy="Ask another reviewer.",
        )
