"""Conflicts: reviewers who disagree about the same revision, until a lead settles it."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Prefetch, Q

from studio.models import Act, EnvironmentRecord, Review, ReviewState, Revision
from studio.services.accounts.accounts import allowed
from studio.services.environments import quality_gates
from studio.services.projects import membership


def disputed_among(reviews: Sequence[Review], revision: Revision) -> bool:
    """Whether the reviews of a revision differ and nobody settled it, among its reviews."""
    current = [review for review in reviews if review.revision_id == revision.pk]
    settled = any(review.is_adjudication for review in current)
    return not settled and len({review.decision for review in current}) > 1


def conflicts_for(user: User) -> list[EnvironmentRecord]:
    """Environments whose reviewers disagree about the current revision, riskiest first.

    Each has its reviews as `said`. Somebody who is asked blindly sees only what they decided about.
    """
    counted = Q(current__reviews__state=ReviewState.SUBMITTED, current__reviews__is_adjudication=False)
    environments = (
        EnvironmentRecord.objects.filter(current__isnull=False)
        .select_related("current")
        .annotate(opinions=Count("current__reviews__decision", filter=counted, distinct=True))
        .filter(opinions__gt=1)
        .exclude(
            Exists(Review.objects.submitted().filter(revision=OuterRef("current"), is_adjudication=True))
        )
        .prefetch_related(
            Prefetch(
                "current__reviews",
                queryset=Review.objects.submitted().select_related("reviewer").order_by("id"),
                to_attr="submitted_reviews",
            )
        )
        .order_by("-risk", "id")
    )
    if quality_gates.needed_reviewers() > 1 and allowed(user, Act.REVIEW):
        own = Review.objects.submitted().filter(revision=OuterRef("current"), reviewer=user)
        led = membership.projects_of(user, Act.ADJUDICATE).order_by()
        environments = environments.filter(Exists(own) | Q(project__in=led))
    return list(environments)
