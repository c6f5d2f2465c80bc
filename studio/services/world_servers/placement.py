"""Placement: which registered server the next instance of an environment goes to.

The studio only points there. The trainer opens the instance at that server, whose answer has the `mcp_url`
for the agent: credentials of instances never pass through the studio, and it opens no address.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from studio.models import EnvironmentRecord, WorldServer
from studio.services.environments import environments
from studio.services.errors import Missing, NoCapacity, NotReady


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an instance is to be opened.

    Attributes:
        server: The server.
        environment: What the server calls the environment.
        fingerprint: Of the environment; the new instance has to show the same.
    """

    server: WorldServer
    environment: str
    fingerprint: str


def place(*, environment: str, fingerprint: str = "", avoid: Collection[int] = ()) -> Placement:
    """The least loaded server that serves exactly this revision of an environment.

    Args:
        environment: Name of an environment in the studio.
        fingerprint: Of one of its revisions; the current one's when empty.
        avoid: Numbers of servers that did not answer.

    Raises:
        Missing: There is no such environment or revision.
        NotReady: No server serves it.
        NoCapacity: Those that do are full, lost, unhealthy or avoided.
    """
    record = environments.find(environment)
    wanted = _fingerprint(record, fingerprint)
    serving = WorldServer.objects.registered().filter(bundles__fingerprint=wanted)
    server = _take(wanted, avoid)
    if server is not None:
        served = server.bundles.filter(fingerprint=wanted).values_list("environment", flat=True)
        return Placement(server, served[0], wanted)
    if not serving.exists():
        raise NotReady(
            f"No registered server serves {record.name} with the fingerprint {wanted[:12]}.",
            remedy="Export it and start `worldwright serve BUNDLE --register URL`.",
        )
    raise NoCapacity(
        f"Every server that serves {record.name} is full, lost, unhealthy or avoided.",
        remedy="Try again in a few seconds, or start more servers.",
    )


def _fingerprint(record: EnvironmentRecord, fingerprint: str) -> str:
    if fingerprint:
        if not record.revisions.filter(fingerprint=fingerprint).exists():
            raise Missing(
                f"No revision of {record.name} has this fingerprint.",
                remedy="Leave it out for the current revision.",
            )
        return fingerprint
    if record.current is None:
        raise Missing(f"{record.name} has no revision yet.")
    return record.current.fingerprint


@transaction.atomic
def _take(fingerprint: str, avoid: Collection[int]) -> WorldServer | None:
    """The least loaded server, with one more instance on its account."""
    # In one order for all, so that two requests wait for each other instead of blocking each other.
    candidates = (
        WorldServer.objects.present()
        .filter(bundles__fingerprint=fingerprint, capacity__gt=F("instances") + F("placed"))
        .exclude(pk__in=avoid)
        .select_for_update(of=("self",))
        .order_by("pk")
    )
    server = min(candidates, key=lambda each: (each.load, each.taken, each.name), default=None)
    if server is not None:
        WorldServer.objects.filter(pk=server.pk).update(placed=F("placed") + 1)
    return server
