"""Identities: whose account it is when an OpenID Connect provider says who somebody is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from studio.models import Act, ApiToken, Role
from studio.services.accounts.accounts import allowed, is_last_administrator, role_of, role_of_group, set_role
from studio.services.accounts.held import give_back
from studio.services.errors import Conflict, Forbidden

LONGEST_NAME, LONGEST_USERNAME, LONGEST_EMAIL = 150, 150, 254
ASK = "Ask an administrator."


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody as a provider knows them.

    Attributes:
        provider: Which provider.
        subject: Never changes there, whatever happens to name and address.
        claims: What else it says.
    """

    provider: str
    subject: str
    claims: Mapping[str, Any]


def account_of(identity: Identity) -> User:
    """The account with which somebody is signed in who comes from the provider.

    An account that was linked at an earlier sign-in; else one that fits by the rule of
    WORLDWRIGHT_OIDC_MATCH and belongs to nobody else at the provider; else a new one. Where a claim gives
    roles, the account gets the role of now.

    Raises:
        Forbidden: There is no account and none is made, it is deactivated, or it has no role.
        Conflict: Another request made an account at the same moment.
    """
    person = _linked(identity) or _first_sign_in(identity)
    if not person.is_active:
        raise Forbidden("This account is deactivated.", remedy=ASK)
    if settings.WORLDWRIGHT.oidc_role_claim:
        _give(person, granted_role(identity.claims))
    if role_of(person) is None:
        raise Forbidden("Your account gives you no role here.", remedy=ASK)
    return person


def granted_role(claims: Mapping[str, Any]) -> Role | None:
    """The highest role that the claim gives, else that of WORLDWRIGHT_OIDC_ROLE."""
    variables = settings.WORLDWRIGHT
    values = _values(claims, variables.oidc_role_claim) if variables.oidc_role_claim else frozenset()
    by_role = {
        Role.ADMIN: variables.oidc_admins,
        Role.LEAD: variables.oidc_leads,
        Role.REVIEWER: variables.oidc_reviewers,
        Role.VIEWER: variables.oidc_viewers,
    }
    granted = next((role for role, wanted in by_role.items() if values & set(wanted)), None)
    if granted is None and variables.oidc_role != "none":
        granted = Role(variables.oidc_role)
    return granted


def _values(claims: Mapping[str, Any], name: str) -> frozenset[str]:
    """The texts of a claim; one inside others is named with dots."""
    value: Any = claims.get(name)
    if value is None:
        value = claims
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    several = value if isinstance(value, list) else [value]
    return frozenset(each for each in several if isinstance(each, str))


def _linked(identity: Identity) -> User | None:
    links = SocialAccount.objects.filter(provider=identity.provider, uid=identity.subject)
    link = links.select_related("user").first()
    return None if link is None else link.user


def _first_sign_in(identity: Identity) -> User:
    try:
        with transaction.atomic():
            person = _matching(identity)
            if person is None:
                person = _new_account(identity)
            else:
                _end_other_ways_in(person)
            SocialAccount.objects.create(user=person, provider=identity.provider, uid=identity.subject)
    except IntegrityError:
        linked = _linked(identity)
        if linked is None:
            raise Conflict("Another request made this account.", remedy="Sign in again.") from None
        return linked
    return person


def _end_other_ways_in(person: User) -> None:
    """Password, sessions and tokens end: names and addresses can be chosen, so somebody else may have made
    the account for whoever comes from the provider, or have given it their address."""
    person.set_unusable_password()
    person.save(update_fields=["password"])
    ApiToken.objects.filter(user=person, revoked_at__isnull=True).update(revoked_at=timezone.now())


def _matching(identity: Identity) -> User | None:
    """The one account that fits by the rule; superusers and accounts of others at the provider fit nobody."""
    fitting = _fitting(identity.claims)
    if fitting is None:
        return None
    taken = SocialAccount.objects.filter(provider=identity.provider).values("user")
    people = list(fitting.filter(is_superuser=False).exclude(pk__in=taken).select_for_update()[:2])
    return people[0] if len(people) == 1 else None


def _fitting(claims: Mapping[str, Any]) -> QuerySet[User] | None:
    rule = settings.WORLDWRIGHT.oidc_match
    email, name = claims.get("email"), claims.get("preferred_username")
    if rule == "email" and claims.get("email_verified") is True and isinstance(email, str) and email:
        return User.objects.filter(email__iexact=email)
    if rule == "username" and isinstance(name, str) and name:
        return User.objects.filter(username=name)
    return None


def _new_account(identity: Identity) -> User:
    role = granted_role(identity.claims)
    if role is None:
        raise Forbidden("There is no account for you here.", remedy=ASK)
    person = User(
        username=_free_username(identity.claims),
        first_name=_text(identity.claims, "given_name", LONGEST_NAME),
        last_name=_text(identity.claims, "family_name", LONGEST_NAME),
        email=_email(identity.claims),
    )
    person.set_unusable_password()
    person.save()
    set_role(user=person, role=role)
    return person


def _free_username(claims: Mapping[str, Any]) -> str:
    wanted = _text(claims, "preferred_username", LONGEST_USERNAME) or _email(claims).partition("@")[0]
    base = re.sub(r"[^\w.@+-]+", "-", wanted)[: LONGEST_USERNAME - 8].strip("-") or "person"
    name, number = base, 1
    while User.objects.filter(username__iexact=name).exists():
        number += 1
        name = f"{base}-{number}"
    return name


def _email(claims: Mapping[str, Any]) -> str:
    """The address, when the provider verified it: notifications go to nobody else."""
    return _text(claims, "email", LONGEST_EMAIL) if claims.get("email_verified") is True else ""


def _text(claims: Mapping[str, Any], name: str, longest: int) -> str:
    value = claims.get(name)
    text = "".join(filter(str.isprintable, value)) if isinstance(value, str) else ""
    return text.strip()[:longest]


@transaction.atomic
def _give(person: User, role: Role | None) -> None:
    """Set the role, except that the last administrator stays one."""
    if person.is_superuser or role_of_group(person) == role or is_last_administrator(person):
        return
    set_role(user=person, role=role)
    if not allowed(person, Act.REVIEW):
        give_back(person)
