"""Servers register, give signs of life, fall silent and leave."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from studio.models import Role, ServedBundle, WorldServer, WorldServerState
from studio.services.errors import Conflict, Forbidden, Missing
from studio.services.operations.metrics import exposition
from studio.services.world_servers import registry
from studio.services.world_servers.registry import Description
from synthesis.errors import InvalidInput

DESCRIPTION = Description(
    name="first",
    address="http://first:8848",
    release="0.1.0",
    capacity=4,
    bundles={"desk": "ab" * 32},
    sandbox={"mode": "sealed", "layers": {"seccomp": True, "landlock": False}},
)


def silence(server: WorldServer, seconds: float) -> WorldServer:
    """The same server as if it had been silent for so long."""
    WorldServer.objects.filter(pk=server.pk).update(heartbeat_at=timezone.now() - timedelta(seconds=seconds))
    return WorldServer.objects.get(pk=server.pk)


def test_a_server_is_remembered_as_it_described_itself(administrator):
    answer = registry.register(description=DESCRIPTION, registered_by=administrator)
    server = registry.listed().get(pk=answer.id)
    assert (server.name, server.address, server.release, server.capacity) == (
        "first", "http://first:8848", "0.1.0", 4,
    )  # fmt: skip
    assert [(each.environment, each.fingerprint) for each in server.bundles.all()] == [("desk", "ab" * 32)]
    assert server.missing_layers == ["landlock"]
    assert server.state is WorldServerState.READY
    assert answer.heartbeat_seconds == 5.0


def test_only_an_administrator_registers_a_server(lead):
    with pytest.raises(Forbidden, match="register servers of worlds"):
        registry.register(description=DESCRIPTION, registered_by=lead)
    assert not WorldServer.objects.exists()


def test_a_server_that_serves_nothing_is_refused(administrator):
    with pytest.raises(InvalidInput, match="bundles"):
        registry.register(description=replace(DESCRIPTION, bundles={}), registered_by=administrator)


def test_a_restarted_server_takes_the_place_of_its_earlier_registration(register, beat):
    earlier = register("first")
    later = register("first", bundles={"other": "cd" * 32})
    assert later.pk == earlier.pk
    assert list(ServedBundle.objects.values_list("environment", flat=True)) == ["other"]
    with pytest.raises(Conflict, match="Another process"):
        beat(earlier)
    beat(later)


def test_a_name_is_free_again_when_its_server_is_lost_or_left(administrator, register):
    present = register("first")
    elsewhere = replace(DESCRIPTION, address="http://second:8848")
    with pytest.raises(Conflict, match="gives signs of life"):
        registry.register(description=elsewhere, registered_by=administrator)
    silence(present, 21)
    registry.register(description=elsewhere, registered_by=administrator)
    present = WorldServer.objects.get()
    assert present.address == "http://second:8848"
    registry.leave(server_id=present.pk, session=present.session, sent_by=administrator)
    registry.register(description=DESCRIPTION, registered_by=administrator)
    assert WorldServer.objects.get().address == "http://first:8848"


def test_a_silent_server_counts_as_lost_and_comes_back_with_its_next_sign_of_life(register, beat):
    server = register("first")
    assert silence(server, 19).state is WorldServerState.READY
    assert silence(server, 21).state is WorldServerState.LOST
    assert not WorldServer.objects.present().exists()
    beat(server)
    assert WorldServer.objects.present().get().state is WorldServerState.READY


def test_the_limit_is_never_below_two_heartbeats(register, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"world_server_heartbeat_seconds": 60.0, "world_server_lost_after_seconds": 1.0}
    )
    assert silence(register("first"), 100).state is WorldServerState.READY


def test_states_tell_load_and_health(register, beat):
    server = register("first", capacity=2)
    for instances, healthy, state in ((1, True, "ready"), (2, True, "full"), (0, False, "unhealthy")):
        beat(server, instances, healthy=healthy)
        assert WorldServer.objects.get().state == state


def test_nobody_speaks_for_a_server_that_somebody_else_registered(register, person):
    server = register("first")
    other = person("another", Role.ADMIN)
    with pytest.raises(Missing):
        registry.leave(server_id=server.pk, session=server.session, sent_by=other)
    assert WorldServer.objects.get().left_at is None


def test_a_server_that_left_gives_no_sign_of_life_any_more(administrator, register, beat):
    server = register("first")
    registry.leave(server_id=server.pk, session=server.session, sent_by=administrator)
    assert WorldServer.objects.get().state is WorldServerState.LEFT
    with pytest.raises(Missing):
        beat(server)


def test_servers_that_are_long_gone_are_forgotten(register):
    silence(register("first"), 25 * 3600)
    register("second")
    assert [server.name for server in registry.listed()] == ["second"]


def test_instances_of_servers_are_figures_until_these_are_lost(register, beat):
    beat(register("north", capacity=8), 3)
    beat(register("south"), 2, healthy=False)
    beat(gone := register("gone"), 9)
    WorldServer.objects.filter(pk=gone.pk).update(heartbeat_at=timezone.now() - timedelta(days=1))
    figures = {
        (sample.name, sample.labels["server"]): sample.value
        for family in text_string_to_metric_families(exposition().decode())
        for sample in family.samples
        if family.name in ("worldwright_world_server_instances", "worldwright_world_server_capacity")
    }
    assert figures == {
        ("worldwright_world_server_instances", "north"): 3,
        ("worldwright_world_server_capacity", "north"): 8,
        ("worldwright_world_server_instances", "south"): 2,
        ("worldwright_world_server_capacity", "south"): 10,
    }
