"""World servers: processes on any machine that serve bundles and say so with signs of life."""

from __future__ import annotations

from datetime import timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from studio.models.fields import PayloadField


def silence_limit() -> timedelta:
    """How long a server may be silent before it counts as lost; at least two heartbeats."""
    variables = settings.WORLDWRIGHT
    return timedelta(
        seconds=max(variables.world_server_lost_after_seconds, 2 * variables.world_server_heartbeat_seconds)
    )


class WorldServerState(models.TextChoices):
    """What can be expected of a server."""

    READY = "ready", "Ready"
    FULL = "full", "Full"
    UNHEALTHY = "unhealthy", "Unhealthy"
    LOST = "lost", "Lost"
    LEFT = "left", "Left"


class WorldServerQuerySet(models.QuerySet["WorldServer"]):
    """Reads of servers; the database's clock decides who is silent for too long."""

    def registered(self) -> Self:
        """Registered and not gone again of their own accord, lost ones included."""
        return self.filter(left_at__isnull=True)

    def present(self) -> Self:
        """Those that gave a sign of life lately and are well."""
        # A sign of life of a time to come is of before the clock was put back, and says nothing of now.
        lately = (Now() - silence_limit(), Now() + silence_limit())
        return self.registered().filter(healthy=True, heartbeat_at__range=lately)

    def gone(self, *, before: timedelta) -> Self:
        """Left, or silent, for longer than this."""
        return self.filter(heartbeat_at__lt=Now() - before)


class WorldServer(models.Model):
    """One server as it last described itself."""

    name = models.CharField(max_length=80, unique=True)
    address = models.CharField(max_length=200)
    """URL under which trainers and agents reach it. The studio itself never opens it."""
    registered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="world_servers"
    )
    session = models.CharField(max_length=32)
    """Of this registration; the heartbeats of an earlier one no longer count."""
    release = models.CharField(max_length=40)
    sandbox = PayloadField(default=dict)
    """Its mode, and the names of its layers to whether each is in force."""
    capacity = models.PositiveIntegerField()
    instances = models.PositiveIntegerField(default=0)
    """In use, as of the last heartbeat."""
    placed = models.PositiveIntegerField(default=0)
    """Instances that trainers were sent to open since the last heartbeat."""
    healthy = models.BooleanField(default=True)
    registered_at = models.DateTimeField(default=timezone.now)
    heartbeat_at = models.DateTimeField(default=timezone.now)
    left_at = models.DateTimeField(null=True, blank=True)

    objects = WorldServerQuerySet.as_manager()

    class Meta:
        """By name."""

        verbose_name = "world server"
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @property
    def taken(self) -> int:
        """Instances in use or about to be."""
        return self.instances + self.placed

    @property
    def load(self) -> float:
        """Share of its capacity that is taken."""
        return self.taken / self.capacity if self.capacity else 1.0

    @property
    def missing_layers(self) -> list[str]:
        """Layers of the sandbox that are not in force there."""
        layers: dict[str, bool] = self.sandbox.get("layers", {})
        return sorted(name for name, in_force in layers.items() if not in_force)

    @property
    def state(self) -> WorldServerState:
        """What can be expected of it now."""
        if self.left_at is not None:
            return WorldServerState.LEFT
        if abs(timezone.now() - self.heartbeat_at) > silence_limit():
            return WorldServerState.LOST
        if not self.healthy:
            return WorldServerState.UNHEALTHY
        return WorldServerState.READY if self.taken < self.capacity else WorldServerState.FULL


class ServedBundle(models.Model):
    """One environment that a server offers."""

    server = models.ForeignKey(WorldServer, on_delete=models.CASCADE, related_name="bundles")
    environment = models.CharField(max_length=80)
    """Its name at that server."""
    fingerprint = models.CharField(max_length=64, db_index=True)
    """Of the environment: that of one revision in the studio, or of none."""

    class Meta:
        """By name; a server has each name once."""

        verbose_name = "served bundle"
        ordering = ("environment",)
        constraints = (
            models.UniqueConstraint(fields=["server", "environment"], name="one_served_bundle_per_name"),
        )

    def __str__(self) -> str:
        return f"{self.environment} {self.fingerprint[:12]}"
