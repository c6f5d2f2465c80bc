"""Registry: servers describe themselves, give signs of life and leave."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from studio.models import Act, ServedBundle, WorldServer
from studio.models.world_servers import silence_limit
from studio.services.accounts.accounts import require
from studio.services.errors import Conflict, Missing
from studio.services.world_servers import addresses
from synthesis.errors import InvalidInput

FORGOTTEN_AFTER = timedelta(days=1)
"""Servers that left or were lost are listed for so long."""
REGISTER_AGAIN = "Register the server again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a server says of itself.

    Attributes:
        name: Tells servers apart; a server that is started again keeps it.
        address: URL under which trainers reach it.
        release: Its version of the program.
        capacity: Instances it can have at once.
        bundles: Names of the environments it serves to their fingerprints.
        sandbox: Its mode, and its layers.
    """

    name: str
    address: str
    release: str
    capacity: int
    bundles: Mapping[str, str]
    sandbox: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Registration:
    """What a server needs for its signs of life.

    Attributes:
        id: Its number.
        session: Proves that a sign of life is of this registration.
        heartbeat_seconds: Between two signs of life.
    """

    id: int
    session: str
    heartbeat_seconds: float


def listed() -> QuerySet[WorldServer]:
    """All servers that are remembered, by name."""
    return WorldServer.objects.select_related("registered_by").prefetch_related("bundles")


@transaction.atomic
def register(*, description: Description, registered_by: User) -> Registration:
    """Remember a server, in place of an earlier registration of the same one.

    Raises:
        Forbidden: The person may not.
        InvalidInput: Its address cannot be used, or it serves nothing.
        Conflict: Another server has the name and is there.
    """
    require(registered_by, Act.HOST)
    if not description.bundles:
        raise InvalidInput("bundles: name the environments that the server serves.")
    address = addresses.checked(description.address)
    WorldServer.objects.gone(before=max(FORGOTTEN_AFTER, silence_limit())).delete()
    present = WorldServer.objects.select_for_update().filter(name=description.name).first()
    if present is not None:
        _require_replaceable(present, address, registered_by)
    server, _ = WorldServer.objects.update_or_create(
        name=description.name,
        defaults={
            "address": address,
            "registered_by": registered_by,
            "session": secrets.token_hex(16),
            "release": description.release,
            "sandbox": dict(description.sandbox),
            "capacity": description.capacity,
            "instances": 0,
            "placed": 0,
            "healthy": True,
            "registered_at": Now(),
            "heartbeat_at": Now(),
            "left_at": None,
        },
    )
    server.bundles.all().delete()
    ServedBundle.objects.bulk_create(
        ServedBundle(server=server, environment=environment, fingerprint=fingerprint)
        for environment, fingerprint in description.bundles.items()
    )
    return Registration(server.pk, server.session, settings.WORLDWRIGHT.world_server_heartbeat_seconds)


def _require_replaceable(present: WorldServer, address: str, registered_by: User) -> None:
    """Pass when a new registration may take this one's place: it is the same server, or it is gone."""
    same = present.address == address and present.registered_by_id == registered_by.pk
    silent = not WorldServer.objects.present().filter(pk=present.pk).exists()
    if not same and not silent:
        raise Conflict(
            f"A server named {present.name} is registered and gives signs of life.",
            remedy="Choose another name with --register-name, or stop that server first.",
        )


def heartbeat(
    *, server_id: int, session: str, instances: int, capacity: int, healthy: bool, sent_by: User
) -> None:
    """A sign of life of a server with its load.

    Args:
        server_id: Which one.
        session: Of its registration.
        instances: In use.
        capacity: Instances it can have at once; fewer than before while a process of it is replaced.
        healthy: Whether it can take instances.
        sent_by: Who registered it.

    Raises:
        Missing: It is not registered, or somebody else registered it.
        Conflict: It was registered again by another process.
    """
    # What a trainer was sent to open is in the server's own count by now, or will be in the next: a server
    # can seem emptier than it is for one heartbeat, and refuses by itself what is too much.
    _update(
        server_id,
        session,
        sent_by,
        instances=instances,
        capacity=capacity,
        healthy=healthy,
        placed=0,
        heartbeat_at=Now(),
    )


def leave(*, server_id: int, session: str, sent_by: User) -> None:
    """A server is about to stop: nobody is sent to it from now on.

    Raises:
        Missing: It is not registered, or somebody else registered it.
        Conflict: It was registered again by another process.
    """
    _update(server_id, session, sent_by, left_at=Now(), placed=0)


def _update(server_id: int, session: str, sent_by: User, **values: object) -> None:
    own = WorldServer.objects.registered().filter(pk=server_id, registered_by=sent_by)
    if own.filter(session=session).update(**values):
        return
    if own.exists():
        raise Conflict(
            "Another process registered under the name of this server.",
            remedy="Give each server a name of its own with --register-name.",
        )
    raise Missing(f"No server {server_id} of yours is registered.", remedy=REGISTER_AGAIN)
