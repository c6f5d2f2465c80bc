"""Invitations: made by administrators, opened once by whoever holds the link."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from studio.models import Act, Invitation, Role
from studio.services.accounts.accounts import require, set_role
from studio.services.errors import Missing
from synthesis.errors import InvalidInput

DAYS = 7
"""How long a link stays open."""


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _open() -> QuerySet[Invitation]:
    return Invitation.objects.filter(
        accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=timezone.now()
    )


def invite(*, user: User, note: str, role: str) -> tuple[Invitation, str]:
    """A link for a new person.

    Args:
        user: Who invites.
        note: For whom it is; 1 to 120 characters.
        role: Value of the `Role` that the person will have.

    Returns:
        The record, and the code of its link, which is not kept.

    Raises:
        Forbidden: The person may not manage people.
        InvalidInput: The note is empty or too long, or there is no such role.
    """
    require(user, Act.MANAGE)
    note = note.strip()
    if not 1 <= len(note) <= 120:
        raise InvalidInput("Say for whom the invitation is, in 1 to 120 characters.")
    if role not in Role.values:
        raise InvalidInput(f"There is no role {role!r}; choose one of {', '.join(Role.values)}.")
    code = secrets.token_urlsafe(32)
    record = Invitation.objects.create(
        digest=_digest(code),
        note=note,
        role=role,
        invited_by=user,
        expires_at=timezone.now() + timedelta(days=DAYS),
    )
    return record, code


def revoke_invitation(*, user: User, invitation_id: int) -> None:
    """Close a link that nobody used yet.

    Raises:
        Forbidden: The person may not manage people.
        Missing: There is no open invitation of this number.
    """
    require(user, Act.MANAGE)
    if not _open().filter(pk=invitation_id).update(revoked_at=timezone.now()):
        raise Missing("There is no open invitation of this number.", remedy="Choose one from the list.")


def find_open(code: str) -> Invitation:
    """The invitation behind a link.

    Raises:
        Missing: It was used, revoked, has expired or never existed; which one is not told.
    """
    record = _open().filter(digest=_digest(code)).first()
    if record is None:
        raise Missing(
            "This invitation is not open: it was used, revoked, or is too old.",
            remedy="Ask an administrator for a new link.",
        )
    return record


@transaction.atomic
def accept(*, code: str, person: User) -> User:
    """Store the new person with the role of the invitation; the link works once.

    Args:
        code: From the link.
        person: A new account that was not saved yet, with its password set.

    Raises:
        Missing: The invitation is not open, or somebody else was faster.
    """
    record = find_open(code)
    person.save()
    now = timezone.now()
    if not _open().filter(pk=record.pk).update(accepted_at=now, accepted_by=person):
        raise Missing("This invitation was used a moment ago.", remedy="Ask for a new link.")
    set_role(user=person, role=Role(record.role))
    return person
