"""Archived environments: out of lists, reviews and exports, with everything about them kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from studio.models import Act, ChangeList, ChangeListState, Claim, EnvironmentRecord
from studio.services.day_words import day_words
from studio.services.errors import Conflict
from studio.services.notifications import notifications
from studio.services.projects import membership
from synthesis.errors import InvalidInput

LONGEST_REASON = 300


@dataclass(frozen=True)
class Work:
    """What somebody has in hand in an environment.

    Attributes:
        person: Who.
        does: What they do, after their name: "holds it for review".
        until: Until which day.
    """

    person: User
    does: str
    until: date


def in_hands(records: Iterable[EnvironmentRecord]) -> dict[int, list[Work]]:
    """By environment who holds it for review or works off its change list."""
    results: dict[int, list[Work]] = {record.pk: [] for record in records}
    claims = Claim.objects.active().filter(environment__in=list(results)).select_related("reviewer")
    for claim in claims.order_by("seat"):
        day = timezone.localdate(claim.expires_at)
        results[claim.environment_id].append(Work(claim.reviewer, "holds it for review", day))
    lists = ChangeList.objects.filter(environment__in=list(results), state=ChangeListState.OPEN)
    for changes in lists.select_related("assignee"):
        work = Work(changes.assignee, "works off its change list", changes.until)
        results[changes.environment_id].append(work)
    return results


@transaction.atomic
def archive(*, record: EnvironmentRecord, lead: User, reason: str) -> EnvironmentRecord:
    """Take an environment out of use; whoever holds it for review lets it go, and is notified.

    Raises:
        Forbidden: The person may not archive.
        InvalidInput: There is no reason, or it is too long.
        Conflict: It is archived already.
    """
    membership.require_in(lead, record.project_id, Act.ARCHIVE)
    reason = " ".join(reason.split())
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise InvalidInput(f"Say in 1 to {LONGEST_REASON} characters why it is archived.")
    current = EnvironmentRecord.objects.select_for_update().get(pk=record.pk)
    if current.archived_at is not None:
        raise Conflict(f"{current.title} is archived already.")
    holders = [work.person for work in in_hands([current])[current.pk]]
    current.claims.filter(released_at__isnull=True).update(released_at=timezone.now())
    archived = _set(current, at=True, lead=lead, reason=reason)
    notifications.archived(archived, by=lead, holders=holders)
    return archived


@transaction.atomic
def restore(*, record: EnvironmentRecord, lead: User) -> EnvironmentRecord:
    """Bring an environment back, on the level that it had.

    Raises:
        Forbidden: The person may not.
        Conflict: It is in use.
    """
    membership.require_in(lead, record.project_id, Act.ARCHIVE)
    current = EnvironmentRecord.objects.select_for_update().get(pk=record.pk)
    if current.archived_at is None:
        raise Conflict(f"{current.title} is not archived.")
    return _set(current, at=False, lead=None, reason="")


def _set(record: EnvironmentRecord, *, at: bool, lead: User | None, reason: str) -> EnvironmentRecord:
    record.archived_at = timezone.now() if at else None
    record.archived_by, record.archived_reason = lead, reason
    record.save(update_fields=["archived_at", "archived_by", "archived_reason"])
    return record


def blocker(record: EnvironmentRecord) -> str:
    """Why nothing new is done with an archived environment; "" for one in use."""
    if record.archived_at is None:
        return ""
    return f"It was archived on {day_words(timezone.localtime(record.archived_at))}: {record.archived_reason}"


def require_in_use(record: EnvironmentRecord) -> None:
    """Go on only with an environment that is in use.

    Raises:
        Conflict: It is archived.
    """
    if why := blocker(record):
        raise Conflict(f"{record.title} is archived. {why}", remedy="A lead can bring it back.")
