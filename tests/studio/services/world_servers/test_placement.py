"""The next instance goes to the least loaded server that serves exactly what is wanted."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from studio.models import EnvironmentRecord, Revision, WorldServer
from studio.services.errors import Missing, NoCapacity, NotReady
from studio.services.world_servers import registry
from studio.services.world_servers.placement import place


def test_instances_are_spread_by_load_also_between_heartbeats(register, stored):
    for name, capacity in (("first", 10), ("second", 10), ("third", 5)):
        register(name, capacity=capacity)
    taken = Counter(place(environment=stored.name).server.name for _ in range(25))
    assert taken == {"first": 10, "second": 10, "third": 5}
    with pytest.raises(NoCapacity, match="full"):
        place(environment=stored.name)


def test_the_load_that_servers_report_decides(register, beat, stored):
    first, second = register("first"), register("second")
    beat(first, 6)
    beat(second, 2)
    assert [place(environment=stored.name).server.name for _ in range(4)] == ["second"] * 4
    beat(second, 9)
    assert place(environment=stored.name).server.name == "first"


def test_nothing_is_sent_to_a_server_with_another_bundle(register, stored):
    register("other", bundles={stored.name: "cd" * 32})
    with pytest.raises(NotReady, match=stored.current.fingerprint[:12]):
        place(environment=stored.name)
    register("right", capacity=1)
    assert place(environment=stored.name).server.name == "right"
    with pytest.raises(NoCapacity):
        place(environment=stored.name)


def test_what_the_studio_does_not_know_is_not_placed(register, stored):
    register("other", bundles={"unknown_desk": "cd" * 32})
    with pytest.raises(Missing, match="unknown_desk"):
        place(environment="unknown_desk")
    with pytest.raises(Missing, match="fingerprint"):
        place(environment=stored.name, fingerprint="cd" * 32)


def test_an_earlier_revision_is_placed_where_it_is_served(register, stored):
    earlier = stored.current.fingerprint
    register("first")
    newer = Revision.objects.create(
        environment=stored, number=2, fingerprint="ef" * 32, author_kind=stored.current.author_kind
    )
    EnvironmentRecord.objects.filter(pk=stored.pk).update(current=newer)
    with pytest.raises(NotReady):
        place(environment=stored.name)
    assert place(environment=stored.name, fingerprint=earlier).server.name == "first"


def test_lost_unhealthy_left_and_avoided_servers_are_sent_nobody(administrator, register, beat, stored):
    lost, unhealthy, left = register("lost"), register("unhealthy"), register("left")
    avoided, good = register("avoided"), register("good")
    beat(unhealthy, healthy=False)
    beat(good, 9)
    registry.leave(server_id=left.pk, session=left.session, sent_by=administrator)
    WorldServer.objects.filter(pk=lost.pk).update(heartbeat_at=timezone.now() - timedelta(seconds=21))
    assert place(environment=stored.name, avoid=[avoided.pk]).server.name == "good"
    with pytest.raises(NoCapacity):
        place(environment=stored.name, avoid=[avoided.pk])
    beat(lost)
    assert place(environment=stored.name, avoid=[avoided.pk]).server.name == "lost"


def test_the_environment_is_named_as_the_server_names_it(register, stored):
    register("first", bundles={"desk_at_this_server": stored.current.fingerprint})
    placement = place(environment=stored.name)
    assert (placement.environment, placement.fingerprint) == (
        "desk_at_this_server", stored.current.fingerprint,
    )  # fmt: skip
