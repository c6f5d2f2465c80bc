"""The review queue: what needs a person most comes first, and who takes an item holds it for a while."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Case, Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from studio.models import (
    Act,
    Claim,
    EnvironmentRecord,
    Flag,
    PartRecord,
    Review,
    Revision,
)
from studio.services.accounts.accounts import require
from studio.services.accounts.people import expertise_of
from studio.services.day_words import day_words
from studio.services.environments import archive, quality_gates
from studio.services.errors import Conflict, Missing
from studio.services.notifications import notifications
from studio.services.projects import membership
from synthesis.errors import InvalidInput

MOST_ASSIGNED_DAYS = 90
"""Days for which a lead may give an item to a reviewer."""


@dataclass(frozen=True)
class WaitingField:
    """One field of what waits: its name in lower case, and how many items it has."""

    name: str
    count: int
    known: bool
    """Whether the person named it as their expertise."""


def fields_of(waiting: QuerySet[EnvironmentRecord], user: User) -> list[WaitingField]:
    """The fields of what waits, those that the person knows first, then by how much waits."""
    known = set(expertise_of(user))
    named = waiting.order_by().values_list("category", flat=True)
    counts = Counter(category.lower() for category in named if category)
    results = [WaitingField(name, count, name in known) for name, count in counts.items()]
    return sorted(results, key=lambda field: (not field.known, -field.count, field.name))


def in_field(waiting: QuerySet[EnvironmentRecord], field: str) -> QuerySet[EnvironmentRecord]:
    """What waits in one field; everything where none is named."""
    return waiting.filter(category__iexact=field) if field else waiting


def queue_for(user: User) -> QuerySet[EnvironmentRecord]:
    """What this person may review next: first what came back to them, then the riskiest.

    Proved environments that are not approved, that they did not author, and whose current revision they
    have not reviewed. `last_reviewed` and `last_flagged` are the newest older revision they decided about or
    flagged, or None.
    """
    mine = Review.objects.submitted().filter(reviewer=user, revision=OuterRef("current"))
    written = PartRecord.objects.filter(revisions=OuterRef("current"), author=user)
    authored = Revision.objects.filter(pk=OuterRef("current"), author=user)
    return (
        EnvironmentRecord.objects.listed()
        .reviewable()
        .exclude(Exists(mine))
        .exclude(Exists(written))
        .exclude(Exists(authored))
        .prefetch_related(Prefetch("claims", queryset=_active(), to_attr="held"))
        .annotate(
            last_reviewed=_newest(Review.objects.submitted().filter(reviewer=user)),
            last_flagged=_newest(Flag.objects.filter(raised_by=user)),
        )
        .annotate(
            returned=Case(
                When(Q(last_reviewed__isnull=False) | Q(last_flagged__isnull=False), then=1), default=0
            )
        )
        .order_by("-returned", "-risk", "updated_at", "id")
    )


def _newest(texts: QuerySet[Any]) -> Subquery:
    """Number of the newest revision before the current one about which somebody said this."""
    older = texts.filter(environment=OuterRef("pk"), revision__number__lt=OuterRef("current__number"))
    return Subquery(older.order_by("-revision__number").values("revision__number")[:1])


def seen_before(record: EnvironmentRecord) -> int | None:
    """For an item of the queue: the revision the person looked at, when a newer one came back to them."""
    numbers = (getattr(record, "last_reviewed", None), getattr(record, "last_flagged", None))
    return max((number for number in numbers if number is not None), default=None)


def active_claims(record: EnvironmentRecord) -> list[Claim]:
    """Who holds the item, first seat first: as of when it came from the queue, else as of now."""
    held: list[Claim] | None = getattr(record, "held", None)
    return list(_active().filter(environment=record)) if held is None else held


def _active() -> QuerySet[Claim]:
    return Claim.objects.active().select_related("reviewer", "assigned_by").order_by("seat")


def claim(*, record: EnvironmentRecord, reviewer: User) -> Claim:
    """Take an item, or hold on to it for longer when it is held already.

    Raises:
        Forbidden: The person is no reviewer.
        Conflict: All seats are taken; the text says by whom and until when.
    """
    membership.require_in(reviewer, record.project_id, Act.REVIEW)
    return _hold(record, reviewer, timezone.now() + timedelta(minutes=settings.WORLDWRIGHT.claim_minutes))


@transaction.atomic
def assign(*, record: EnvironmentRecord, reviewer: User, lead: User, until: date) -> Claim:
    """Give an item to a reviewer, who holds it to the end of a day and is notified.

    Raises:
        Forbidden: The lead may not assign, or the person is no reviewer.
        InvalidInput: The day is over, or too far away.
        Conflict: All seats are taken; the text says by whom and until when.
    """
    membership.require_in(lead, record.project_id, Act.ADJUDICATE)
    membership.require_in(reviewer, record.project_id, Act.REVIEW)
    claim = _hold(record, reviewer, end_of(until), assigned_by=lead)
    notifications.assigned(claim)
    return claim


def end_of(day: date) -> datetime:
    """The moment an assignment until a day ends.

    Raises:
        InvalidInput: The day is over, or further away than `MOST_ASSIGNED_DAYS`.
    """
    today = timezone.localdate()
    if not today <= day <= today + timedelta(days=MOST_ASSIGNED_DAYS):
        raise InvalidInput(
            f"Choose a day from {day_words(today)} on, at most {MOST_ASSIGNED_DAYS} days ahead, "
            f"not {day_words(day)}."
        )
    return timezone.make_aware(datetime.combine(day, time(23, 59)))


def _hold(
    record: EnvironmentRecord, reviewer: User, expires: datetime, assigned_by: User | None = None
) -> Claim:
    with transaction.atomic():
        archive.require_in_use(EnvironmentRecord.objects.select_for_update().get(pk=record.pk))
        _release_expired(record)
        held = record.claims.filter(reviewer=reviewer, released_at__isnull=True).first()
        if held is not None:
            held.expires_at = max(held.expires_at, expires)
            held.assigned_by = assigned_by or held.assigned_by
            held.save(update_fields=["expires_at", "assigned_by"])
            return held
        seat = _free_seat(record)
        try:
            with transaction.atomic():
                return Claim.objects.create(
                    environment=record,
                    reviewer=reviewer,
                    seat=seat,
                    expires_at=expires,
                    assigned_by=assigned_by,
                )
        except IntegrityError:
            raise Conflict(f"{record.title} was just taken by somebody else.") from None


def claim_next(*, reviewer: User, field: str = "") -> EnvironmentRecord:
    """Take the item of the queue that needs this person most, of their fields of expertise if there is one.

    What was assigned to them and what they hold comes first.

    Args:
        reviewer: Who takes it.
        field: The field that they look at alone; "" for every field.

    Raises:
        Forbidden: The person is no reviewer.
        Missing: There is nothing to review, or everything is held by others.
    """
    require(reviewer, Act.REVIEW)
    # Many people who ask at once are shown the same first items: who loses them all looks behind them.
    while waiting := list(in_field(_free_for(reviewer), field)[:50]):
        for record in _theirs_first(waiting, reviewer):
            try:
                claim(record=record, reviewer=reviewer)
            except Conflict:
                continue
            return record
    raise Missing(
        "There is nothing to review.",
        remedy="Synthesise an environment, or come back when others release theirs.",
    )


def _theirs_first(waiting: list[EnvironmentRecord], reviewer: User) -> list[EnvironmentRecord]:
    """What a person holds, then what they know, then the rest."""
    theirs = {
        held.environment_id
        for record in waiting
        for held in active_claims(record)
        if held.reviewer_id == reviewer.pk
    }
    ordered = _known_first(waiting, expertise_of(reviewer))
    return sorted(ordered, key=lambda each: each.pk not in theirs)


def next_for(user: User, *, after: EnvironmentRecord) -> EnvironmentRecord | None:
    """The item that a person would take next, those of their fields first; None without.

    Who named no fields knows that of the item they have just reviewed.
    """
    waiting = [each for each in _free_for(user).exclude(pk=after.pk)[:50] if not active_claims(each)]
    return next(iter(_known_first(waiting, expertise_of(user) or (after.category.lower(),))), None)


def _free_for(user: User) -> QuerySet[EnvironmentRecord]:
    """What of the queue has a seat for this person: theirs already, or one that nobody else holds."""
    others = Claim.objects.active().filter(environment=OuterRef("pk")).exclude(reviewer=user)
    taken = others.order_by().values("environment").annotate(seats=Count("pk")).values("seats")
    return (
        queue_for(user)
        .filter(project__in=membership.projects_of(user, Act.REVIEW).order_by())
        .annotate(taken=Coalesce(Subquery(taken), 0))
        .filter(taken__lt=quality_gates.needed_reviewers())
    )


def _known_first(waiting: list[EnvironmentRecord], fields: Sequence[str]) -> list[EnvironmentRecord]:
    """What came back to a person stays first; of the rest, what they know comes before what they do not."""
    return sorted(waiting, key=lambda each: seen_before(each) is None and each.category.lower() not in fields)


def until_words(moment: datetime) -> str:
    """When a hold ends: the hour of today, or the day."""
    local = timezone.localtime(moment)
    if local.date() == timezone.localdate():
        return f"{local:%H:%M}"
    return f"{local.day} {local:%B}"


def release(*, record: EnvironmentRecord, reviewer: User) -> None:
    """Let go of an item; nothing happens when it is not held."""
    record.claims.filter(reviewer=reviewer, released_at__isnull=True).update(released_at=timezone.now())


def release_expired() -> int:
    """Free every seat whose time is over; returns how many."""
    now = timezone.now()
    held = Claim.objects.filter(released_at__isnull=True)
    # Nobody holds an item of their own for longer; who seems to, took it before the clock was put back.
    longest = now + timedelta(minutes=settings.WORLDWRIGHT.claim_minutes)
    held.filter(assigned_by=None, expires_at__gt=longest).update(expires_at=longest)
    return held.filter(expires_at__lte=now).update(released_at=now)


def _release_expired(record: EnvironmentRecord) -> None:
    now = timezone.now()
    record.claims.filter(released_at__isnull=True, expires_at__lte=now).update(released_at=now)


def _free_seat(record: EnvironmentRecord) -> int:
    taken = {claim.seat: claim for claim in _active().filter(environment=record)}
    for seat in range(1, quality_gates.needed_reviewers() + 1):
        if seat not in taken:
            return seat
    holder = next(iter(taken.values()))
    name = holder.reviewer.get_full_name() or holder.reviewer.username
    raise Conflict(
        f"{record.title} is held by {name} until {until_words(holder.expires_at)}.",
        remedy="You can read it, or take another item from the queue.",
    )
