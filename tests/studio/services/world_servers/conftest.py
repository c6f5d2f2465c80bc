"""Servers that registered without running."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from studio.models import WorldServer
from studio.services.world_servers import registry
from studio.services.world_servers.registry import Description

Register = Callable[..., WorldServer]


@pytest.fixture
def register(administrator: User, stored) -> Register:
    """Registers a server that serves the stored environment."""

    def make(name: str, *, capacity: int = 10, bundles: dict[str, str] | None = None) -> WorldServer:
        served = {stored.name: stored.current.fingerprint} if bundles is None else bundles
        description = Description(
            name=name, address=f"http://{name}:8848", release="0.1.0", capacity=capacity, bundles=served
        )
        return WorldServer.objects.get(
            pk=registry.register(description=description, registered_by=administrator).id
        )

    return make


@pytest.fixture
def beat(administrator: User) -> Callable[..., None]:
    """A sign of life of a server."""

    def give(server: WorldServer, instances: int = 0, *, healthy: bool = True) -> None:
        registry.heartbeat(
            server_id=server.pk,
            session=server.session,
            instances=instances,
            capacity=server.capacity,
            healthy=healthy,
            sent_by=administrator,
        )

    return give
