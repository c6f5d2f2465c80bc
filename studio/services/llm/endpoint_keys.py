"""Endpoint keys: with which key the runs of a project ask an endpoint of the settings.

Only the key is the project's. Addresses stay those of the settings, so nobody makes the studio open another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from pydantic import SecretStr

from studio.models import Act, EndpointKey, Project
from studio.models.projects import project_of_new_records
from studio.services.accounts.accounts import require
from studio.services.audit.trail import record_command
from studio.services.errors import Missing
from studio.services.llm.pool import endpoint_names
from studio.services.sealed_text import is_current, seal, unseal
from synthesis.errors import InvalidInput, UnknownName

LONGEST_KEY = 500


@dataclass(frozen=True, slots=True)
class ResealedKeys:
    """What became of the stored keys.

    Attributes:
        resealed: Keys that are encrypted under the present secret from now on.
        current: Keys that were already.
        unreadable: Project and endpoint of those that no secret of the settings opens.
    """

    resealed: int
    current: int
    unreadable: tuple[tuple[str, str], ...]


def set_key(*, user: User, project: Project, endpoint: str, key: str) -> EndpointKey:
    """Store a key, in place of an earlier one; it is never shown again.

    Args:
        user: An administrator.
        project: Whose runs use it.
        endpoint: A name of WORLDWRIGHT_ENDPOINTS; empty for the endpoint of OPENAI_BASE_URL.
        key: As the endpoint gave it.

    Raises:
        Forbidden: The person is no administrator.
        UnknownName: There is no such endpoint.
        InvalidInput: The key is empty, too long, or has characters that no header can hold.
    """
    require(user, Act.MANAGE)
    if endpoint not in endpoint_names():
        raise UnknownName("endpoint", endpoint, [name for name in endpoint_names() if name])
    key = key.strip()
    if not 1 <= len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        raise InvalidInput(f"A key has 1 to {LONGEST_KEY} ASCII characters without spaces.")
    values = {"sealed": seal(key), "set_by": user, "set_at": timezone.now()}
    stored, _ = EndpointKey.objects.update_or_create(project=project, endpoint=endpoint, defaults=values)
    return stored


def remove_key(*, user: User, project: Project, endpoint: str) -> None:
    """Let the project's runs use the key of the settings again.

    Raises:
        Forbidden: The person is no administrator.
        Missing: The project has no key for this endpoint.
    """
    require(user, Act.MANAGE)
    stored = EndpointKey.objects.filter(project=project, endpoint=endpoint).first()
    if stored is None:
        raise Missing("The project has no key for this endpoint.", remedy="Choose one from its list.")
    stored.delete()


def stored_keys(project: Project) -> QuerySet[EndpointKey]:
    """For which endpoints a project has a key of its own, and who set it."""
    return EndpointKey.objects.filter(project=project).select_related("set_by")


def keys_of(project_id: int) -> Mapping[str, SecretStr]:
    """The keys that a project's runs use, by endpoint; for those runs alone.

    Raises:
        InvalidInput: One cannot be read under this WORLDWRIGHT_SECRET_KEY.
    """
    stored = EndpointKey.objects.filter(project=project_id).values_list("endpoint", "sealed")
    return {endpoint: SecretStr(unseal(sealed)) for endpoint, sealed in stored}


def keys_for(project_id: int | None) -> Mapping[str, SecretStr]:
    """The same before there is a run: of its project, or of the one to which what is made now belongs.

    Raises:
        InvalidInput: A key cannot be read, or several projects come into question.
    """
    return keys_of(project_of_new_records() if project_id is None else project_id)


@transaction.atomic
def reseal_all() -> ResealedKeys:
    """Encrypt every stored key under the present WORLDWRIGHT_SECRET_KEY; safe at any time and to repeat.

    The audit trail gets a line that names the keys.
    """
    resealed: list[str] = []
    current, unreadable = 0, []
    stored = EndpointKey.objects.order_by("pk").values_list("pk", "sealed", "project__slug", "endpoint")
    for pk, sealed, project, endpoint in list(stored):
        if is_current(sealed):
            current += 1
            continue
        try:
            renewed = seal(unseal(sealed))
        except InvalidInput:
            unreadable.append((project, endpoint))
            continue
        # A key that an administrator enters meanwhile stays.
        if EndpointKey.objects.filter(pk=pk, sealed=sealed).update(sealed=renewed):
            resealed.append(f"{project}/{endpoint}")
    record_command(
        "reseal",
        resealed=resealed,
        current=current,
        unreadable=[f"{project}/{endpoint}" for project, endpoint in unreadable],
    )
    return ResealedKeys(len(resealed), current, tuple(unreadable))
