"""People: what they know, when they were here, and what administrators change about them."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.cache import cache
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from studio.models import Act, PersonProfile, Role
from studio.services.accounts.accounts import allowed, is_last_administrator, require, set_role
from studio.services.accounts.held import give_back
from studio.services.errors import Conflict, Forbidden, Missing
from synthesis.errors import InvalidInput

MOST_FIELDS, LONGEST_FIELD = 20, 60
SECONDS_BETWEEN_NOTES = 300
"""How old the note of a visit may become before it is written again."""


def expertise_of(user: User) -> tuple[str, ...]:
    """The fields a person knows, in lower case; empty when they named none."""
    stored = PersonProfile.objects.filter(user_id=user.pk).values_list("expertise", flat=True).first()
    return tuple(stored or ())


def set_expertise(*, user: User, fields: Iterable[str]) -> tuple[str, ...]:
    """Replace the fields that a person knows.

    Returns:
        What was stored: trimmed, in lower case, sorted, each once.

    Raises:
        InvalidInput: There are too many fields, or one is too long.
    """
    chosen = sorted({" ".join(field.lower().split()) for field in fields} - {""})
    if len(chosen) > MOST_FIELDS:
        raise InvalidInput(f"Name at most {MOST_FIELDS} fields of expertise, not {len(chosen)}.")
    if long := [field for field in chosen if len(field) > LONGEST_FIELD]:
        raise InvalidInput(f"Shorten the field {long[0][:20]!r}... to {LONGEST_FIELD} characters.")
    PersonProfile.objects.update_or_create(user=user, defaults={"expertise": chosen})
    return tuple(chosen)


def note_visit(user: User) -> None:
    """Remember that this person is here; each process writes at most once in five minutes."""
    if cache.add(f"visit:{user.pk}", True, timeout=SECONDS_BETWEEN_NOTES):
        now = timezone.now()
        # In one statement each, which the audit trail does not see: looking at a page changes nothing.
        if not PersonProfile.objects.filter(user=user).update(last_seen_at=now):
            profile = PersonProfile(user=user, last_seen_at=now)
            PersonProfile.objects.bulk_create([profile], ignore_conflicts=True)


def everybody() -> QuerySet[User]:
    """Every account with its profile and roles, active ones first."""
    return (
        User.objects.select_related("profile").prefetch_related("groups").order_by("-is_active", "username")
    )


@transaction.atomic
def change_role(*, manager: User, user_id: int, role: str) -> User:
    """Give somebody another role; empty takes every right away.

    Raises:
        Forbidden: The manager may not manage this person.
        Missing: There is no such person.
        InvalidInput: There is no such role.
        Conflict: Nobody would be left to manage people.
    """
    if role and role not in Role.values:
        raise InvalidInput(f"There is no role {role!r}; choose one of {', '.join(Role.values)}.")
    person = _managed(manager, user_id)
    if role != Role.ADMIN:
        _require_another_administrator(person)
    set_role(user=person, role=Role(role) if role else None)
    if not allowed(person, Act.REVIEW):
        give_back(person)
    return person


@transaction.atomic
def set_active(*, manager: User, user_id: int, active: bool) -> User:
    """Let somebody in again, or keep them out: sessions and tokens open nothing from now on.

    Raises:
        Forbidden: The manager may not manage this person.
        Missing: There is no such person.
        Conflict: It is the manager, or nobody would be left to manage people.
    """
    person = _managed(manager, user_id)
    if not active and person == manager:
        raise Conflict("You cannot deactivate your own account.", remedy="Ask another administrator.")
    if not active:
        _require_another_administrator(person)
    person.is_active = active
    person.save(update_fields=["is_active"])
    if not active:
        give_back(person)
    return person


@transaction.atomic
def reset_code(*, manager: User, user_id: int) -> tuple[User, str, str]:
    """What a link needs with which somebody chooses a new password, once.

    Returns:
        The person, their number as the link has it, and the code.

    Raises:
        Forbidden: The manager may not manage this person.
        Missing: There is no such person.
        Conflict: The account is deactivated.
    """
    person = _managed(manager, user_id)
    if not person.is_active:
        raise Conflict("The account is deactivated.", remedy="Activate it first.")
    number = urlsafe_base64_encode(force_bytes(person.pk))
    return person, number, default_token_generator.make_token(person)


def _managed(manager: User, user_id: int) -> User:
    require(manager, Act.MANAGE)
    person = User.objects.select_for_update().filter(pk=user_id).first()
    if person is None:
        raise Missing("There is no such person.", remedy="Choose one from the list of people.")
    if person.is_superuser and not manager.is_superuser:
        raise Forbidden("Only a superuser may change a superuser.")
    return person


def _require_another_administrator(person: User) -> None:
    if is_last_administrator(person):
        raise Conflict("This is the only administrator.", remedy="Give somebody else the role first.")
