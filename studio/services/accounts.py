"""People and programs: who they are, what they may do, and the tokens of programs."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from studio.models import MATRIX, Act, ApiToken, Role
from studio.models.roles import highest
from studio.services.refusals import Forbidden, Missing
from synthesis.errors import InvalidInput

TOKEN_PREFIX = "ww_"  # noqa: S105 - marks tokens so that people and scanners recognise one
Person = User | AnonymousUser


def role_of(user: Person) -> Role | None:
    """The person's highest role, or None for somebody without one. Costs one query per user object."""
    if not user.is_authenticated or not getattr(user, "is_active", False):
        return None
    if getattr(user, "is_superuser", False):
        return Role.ADMIN
    if "studio_role" not in vars(user):
        vars(user)["studio_role"] = highest(set(user.groups.values_list("name", flat=True)))
    found: Role | None = vars(user)["studio_role"]
    return found


def allowed(user: Person, act: Act) -> bool:
    """Whether the person's role allows it."""
    role = role_of(user)
    return role is not None and act in MATRIX[role]


def require(user: Person, act: Act) -> None:
    """Go on only when the person's role allows it.

    Raises:
        Forbidden: It does not; the text names the role that is missing.
    """
    if not allowed(user, act):
        raise Forbidden(act=act)


@transaction.atomic
def set_role(*, user: User, role: Role) -> None:
    """Give a person exactly this role."""
    user.groups.remove(*Group.objects.filter(name__in=Role.values))
    user.groups.add(Group.objects.get_or_create(name=role.value)[0])
    user.is_staff = role is Role.ADMIN
    user.save(update_fields=["is_staff"])
    vars(user).pop("studio_role", None)


@dataclass(frozen=True)
class SignIn:
    """A demonstration account as it is shown once."""

    username: str
    password: str
    role: Role


DEMO_PEOPLE: tuple[tuple[str, str, Role], ...] = (
    ("viewer", "Vera Viewer", Role.VIEWER),
    ("rosa", "Rosa Reviewer", Role.REVIEWER),
    ("ravi", "Ravi Reviewer", Role.REVIEWER),
    ("lena", "Lena Lead", Role.LEAD),
    ("admin", "Ada Administrator", Role.ADMIN),
)


@transaction.atomic
def create_demo_users() -> tuple[SignIn, ...]:
    """Demonstration people, one or two per role, each with a new password that is told only here."""
    made = []
    for username, full_name, role in DEMO_PEOPLE:
        first, last = full_name.split(" ", 1)
        user, _ = get_user_model().objects.get_or_create(
            username=username, defaults={"first_name": first, "last_name": last}
        )
        password = f"{username}-{secrets.token_hex(4)}"
        user.set_password(password)
        user.is_active = True
        user.save()
        set_role(user=user, role=role)
        made.append(SignIn(username, password, role))
    return tuple(made)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def issue_token(*, user: User, name: str, expires_at: datetime | None = None) -> tuple[ApiToken, str]:
    """A new token for a program of this person.

    Returns:
        The record, and the token itself, which is not kept and cannot be shown again.

    Raises:
        InvalidInput: The name is empty or too long.
    """
    name = name.strip()
    if not 1 <= len(name) <= 80:
        raise InvalidInput(
            "Name the token with 1 to 80 characters, for example after the program that uses it."
        )
    token = TOKEN_PREFIX + secrets.token_urlsafe(32)
    record = ApiToken.objects.create(
        user=user, name=name, digest=_digest(token), hint=token[:8], expires_at=expires_at
    )
    return record, token


def user_of_token(token: str) -> User | None:
    """The active person a valid token belongs to, or None; notes that it was used."""
    now = timezone.now()
    record = (
        ApiToken.objects.select_related("user")
        .filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now))
        .filter(digest=_digest(token), revoked_at__isnull=True, user__is_active=True)
        .first()
    )
    if record is None:
        return None
    if record.used_at is None or (now - record.used_at).total_seconds() > 60:
        ApiToken.objects.filter(pk=record.pk).update(used_at=now)
    return record.user


def revoke_token(*, user: User, token_id: int) -> None:
    """End a token; one's own, or with the right to manage people anybody's.

    Raises:
        Missing: There is no such token that this person may end.
    """
    tokens = ApiToken.objects.filter(pk=token_id, revoked_at__isnull=True)
    if not allowed(user, Act.MANAGE):
        tokens = tokens.filter(user=user)
    if not tokens.update(revoked_at=timezone.now()):
        raise Missing("There is no such token.", remedy="Look at your list of tokens.")
