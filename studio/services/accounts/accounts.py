"""People and programs: who they are, what they may do, and the tokens of programs."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser, Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from studio.models import MATRIX, Act, ApiToken, Project, Role, Scope
from studio.models.roles import highest
from studio.models.scopes import SCOPE_OF
from studio.services.errors import Forbidden, Missing, ScopeMissing
from synthesis.errors import InvalidInput

TOKEN_PREFIX = "ww_"  # noqa: S105 - marks tokens so that people and scanners recognise one
BEYOND_PROJECTS = frozenset({Act.ACCOUNT, Act.HOST, Act.MANAGE})
"""What is about a person or the whole studio."""
Person = User | AnonymousUser


def role_of(user: Person) -> Role | None:
    """The person's highest role, or None for somebody without one. Costs one query per user object."""
    if not user.is_authenticated or not getattr(user, "is_active", False):
        return None
    if getattr(user, "is_superuser", False):
        return Role.ADMIN
    if "studio_role" not in vars(user):
        vars(user)["studio_role"] = highest(set(user.groups.values_list("name", flat=True)))
    role: Role | None = vars(user)["studio_role"]
    return role


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


def role_of_group(user: User) -> Role | None:
    """The role that a person was given, whether the account is switched off or a superuser's."""
    return highest(set(user.groups.values_list("name", flat=True)))


def is_last_administrator(person: User) -> bool:
    """Whether nobody else is left who can manage people."""
    if role_of_group(person) is not Role.ADMIN or not person.is_active:
        return False
    others = User.objects.filter(groups__name=Role.ADMIN, is_active=True).exclude(pk=person.pk)
    return not others.exists()


def create_roles(**_: object) -> None:
    """The group of every role; Django calls it after migrations."""
    for role in Role:
        Group.objects.get_or_create(name=role.value)


@transaction.atomic
def set_role(*, user: User, role: Role | None) -> None:
    """Give a person exactly this role, or none."""
    user.groups.remove(*Group.objects.filter(name__in=Role.values))
    if role is not None:
        user.groups.add(Group.objects.get_or_create(name=role.value)[0])
    user.is_staff = user.is_superuser or role is Role.ADMIN
    user.save(update_fields=["is_staff"])
    vars(user).pop("studio_role", None)


@dataclass(frozen=True)
class SignIn:
    """An account as it is shown once."""

    username: str
    password: str
    role: Role


@transaction.atomic
def create_administrator(*, username: str, password: str | None = None, email: str = "") -> SignIn:
    """A new person with the role of an administrator.

    Args:
        username: Name to sign in with.
        password: A random one when None.
        email: Address of the person.

    Raises:
        InvalidInput: The name cannot be used or is taken, or the password is too weak.
    """
    secret = password if password is not None else secrets.token_urlsafe(12)
    user = User(username=username, email=email)
    try:
        user.clean_fields(exclude=["password"])
        user.validate_unique()
        validate_password(secret, user)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages)) from error
    user.set_password(secret)
    user.save()
    set_role(user=user, role=Role.ADMIN)
    return SignIn(username, secret, Role.ADMIN)


DEMO_PEOPLE: tuple[tuple[str, str, Role], ...] = (
    ("viewer", "Vera Viewer", Role.VIEWER),
    ("rosa", "Rosa Reviewer", Role.REVIEWER),
    ("ravi", "Ravi Reviewer", Role.REVIEWER),
    ("lena", "Lena Lead", Role.LEAD),
    ("admin", "Ada Administrator", Role.ADMIN),
)


@transaction.atomic
def create_demo_users() -> tuple[SignIn, ...]:
    """Demonstration people, one or two per role, each with a new password that is shown only here."""
    sign_ins = []
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
        sign_ins.append(SignIn(username, password, role))
    return tuple(sign_ins)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def issue_token(
    *,
    user: User,
    name: str,
    expires_at: datetime | None = None,
    scopes: Collection[str] | None = None,
    project: Project | None = None,
) -> tuple[ApiToken, str]:
    """A new token for a program of this person.

    Args:
        user: Whose program it is.
        name: What the token is for.
        expires_at: When it ends; after WORLDWRIGHT_TOKEN_DAYS when None.
        scopes: Values of `Scope` that it is limited to; all when None.
        project: The only one that it opens, which the caller found among those of the person; all when None.

    Returns:
        The record, and the token itself, which is not kept and cannot be shown again.

    Raises:
        InvalidInput: The name is empty or too long, or a scope is unknown or missing.
    """
    name = name.strip()
    if not 1 <= len(name) <= 80:
        raise InvalidInput(
            "Name the token with 1 to 80 characters, for example after the program that uses it."
        )
    chosen = list(Scope.values) if scopes is None else sorted(set(scopes))
    if not chosen or set(chosen) - set(Scope.values):
        raise InvalidInput(f"Choose one or more scopes of the token from {', '.join(Scope.values)}.")
    if expires_at is None:
        expires_at = timezone.now() + timedelta(days=settings.WORLDWRIGHT.token_days)
    token = TOKEN_PREFIX + secrets.token_urlsafe(32)
    record = ApiToken.objects.create(
        user=user,
        name=name,
        digest=_digest(token),
        hint=token[:8],
        scopes=chosen,
        project=project,
        expires_at=expires_at,
    )
    return record, token


def valid_token(token: str) -> ApiToken | None:
    """The record of a valid token of an active person, or None; notes that it was used."""
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
    return record


def user_of_token(token: str) -> User | None:
    """The active person a valid token belongs to, or None; notes that it was used."""
    record = valid_token(token)
    return record.user if record else None


def require_scope(token: ApiToken, act: Act) -> None:
    """Go on only when the token was made for such acts.

    Raises:
        ScopeMissing: It was not; the text names the scope.
        Forbidden: It opens one project, and the act concerns the whole studio or its person.
    """
    scope = SCOPE_OF[act]
    if scope not in token.scopes:
        raise ScopeMissing(scope)
    if token.project_id is not None and act in BEYOND_PROJECTS:
        raise Forbidden(
            "This token opens one project, and this concerns more than a project.",
            remedy="Create a token for all projects on your account page.",
        )


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """The tokens that a person may see and end: their own, or with the right to manage people everybody's."""
    api_tokens = ApiToken.objects.select_related("user", "project")
    return api_tokens if allowed(user, Act.MANAGE) else api_tokens.filter(user=user)


def revoke_token(*, user: User, token_id: int) -> None:
    """End a token; one's own, or with the right to manage people anybody's.

    Raises:
        Missing: There is no such token that this person may end.
    """
    if not tokens_of(user).filter(pk=token_id).exists() or not end_token(token_id):
        raise Missing("There is no such token.", remedy="Choose one from your list of tokens.")


def end_token(token_id: int) -> bool:
    """Let a token open nothing any more; whether it did until now."""
    unrevoked = ApiToken.objects.filter(pk=token_id, revoked_at__isnull=True)
    return bool(unrevoked.update(revoked_at=timezone.now()))
