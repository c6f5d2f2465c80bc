"""What a person saw last of an environment: the newest revision whose overview or changes they opened."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User

from studio.models import EnvironmentRecord, VisitedRevision


def seen_before(record: EnvironmentRecord, user: User | AnonymousUser) -> int | None:
    """The older revision that the person saw last; None when they have seen the current one, or none.

    The first visit is noted here: from then on a newer revision is one that they have not seen.
    """
    assert record.current is not None
    if not isinstance(user, User):
        return None
    visited, first = VisitedRevision.objects.get_or_create(
        user=user, environment=record, defaults={"number": record.current.number}
    )
    return None if first or visited.number >= record.current.number else visited.number


def saw(record: EnvironmentRecord, user: User | AnonymousUser, number: int) -> None:
    """Note that the person has looked at a revision and what changed in it."""
    if isinstance(user, User):
        VisitedRevision.objects.bulk_create(
            [VisitedRevision(user=user, environment=record, number=number)],
            update_conflicts=True,
            unique_fields=["user", "environment"],
            update_fields=["number"],
        )
