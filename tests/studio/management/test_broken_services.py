"""Brokers, databases and clocks that break in a batch: each test ends with a count of what stands there."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.own_services import OwnPostgreSQL, OwnRabbitMQ, OwnRedis, OwnService
from tests.studio.management.model_batches import audit, queue, require_whole, wait_for, worker
from tests.studio.management.own_services import running

pytestmark = [pytest.mark.at_length, pytest.mark.service]

UNHURRIED = {"WORLDWRIGHT_HEARTBEAT_SECONDS": "1", "WORLDWRIGHT_LOST_AFTER_SECONDS": "20"}
"""A worker that waits for a processor or a broker is not taken for lost."""

LEFT_AT_THE_BROKER = """
from studio.services.runs import dispatch
from studio.work_queue import WorkQueue
print(sum(map(dispatch.waiting_messages, WorkQueue)))
"""

Broker = Callable[[type[OwnService]], OwnService]


@pytest.fixture
def broker(own_studio: dict[str, str], tmp_path: Path) -> Iterator[Broker]:
    """Starts a broker of the test's own and tells the studio of it."""
    with ExitStack() as opened:

        def start(kind: type[OwnService]) -> OwnService:
            service = opened.enter_context(running(kind, tmp_path / "broker"))
            own_studio.update(UNHURRIED, CELERY_BROKER_URL=service.url)
            return service

        yield start


@pytest.mark.parametrize("kind", [OwnRedis, OwnRabbitMQ])
def test_a_broker_that_dies_and_comes_back_costs_nothing(kind, broker, manage, own_studio, model, seeds):
    service = broker(kind)
    endpoint = model(delay=(0.1, 0.3))
    queue(manage, seeds(2), 2)
    with worker(own_studio) as process:
        wait_for(endpoint, 5)
        service.kill()
        wait_for(endpoint, 9)
        service.start()
        results = audit(manage)
        assert process.poll() is None, "the worker ended with the connection that it lost"
        # The worker takes what is queued after the broker came back.
        assert manage("synthesize", "A desk lends umbrellas", "--no-wait").returncode == 0
        afterwards = audit(manage, seconds=120)
    require_whole(results, 2)
    assert endpoint.stats()["repeated"] == {}
    assert len(afterwards["names"]) == 3


def test_connections_that_rabbitmq_closes_cost_nothing(broker, manage, own_studio, model, seeds):
    service = broker(OwnRabbitMQ)
    endpoint = model(delay=(0.1, 0.3))
    queue(manage, seeds(2), 2)
    with worker(own_studio) as process:
        for requests in (3, 8, 13):
            wait_for(endpoint, requests)
            service.close_connections()
        results = audit(manage)
        assert process.poll() is None, "the worker ended with the connection that it lost"
        assert manage("synthesize", "A desk lends umbrellas", "--no-wait").returncode == 0
        afterwards = audit(manage, seconds=120)
    require_whole(results, 2)
    # What the broker gave out again while it was being executed began no second execution.
    assert endpoint.stats()["repeated"] == {}
    assert results["paid"] == endpoint.stats()["asked"]
    assert len(afterwards["names"]) == 3


@pytest.mark.parametrize("kind", [OwnRedis, OwnRabbitMQ])
def test_a_stopped_worker_hands_its_runs_back_at_a_real_broker(
    kind, broker, manage, own_studio, model, seeds
):
    broker(kind)
    endpoint = model(delay=(0.05, 0.2))
    queue(manage, seeds(2), 2)
    with worker(own_studio, "--no-beat") as process:
        wait_for(endpoint, 6)
        process.terminate()
        process.wait(timeout=120)
    handed_back = audit(manage, seconds=0)
    assert handed_back["states"] == {"queued": 2}
    assert handed_back["events"]["handed_back"] == 2
    waiting = manage("shell", "-v0", "-c", LEFT_AT_THE_BROKER)
    assert int(waiting.stdout.split()[-1]) >= 2, waiting.stderr
    with worker(own_studio, "--no-beat"):  # which no clock tells of what waits: the messages do
        results = audit(manage)
    require_whole(results, 2)
    assert "reaped" not in results["events"]
    assert endpoint.stats()["repeated"] == {}
    assert results["paid"] == endpoint.stats()["asked"]


def test_a_database_that_is_killed_in_a_batch_costs_at_most_what_was_in_flight(
    manage, own_studio, model, seeds, tmp_path
):
    with running(OwnPostgreSQL, tmp_path / "database") as database:
        own_studio.update(UNHURRIED, DATABASE_URL=database.url)
        endpoint = model(delay=(0.05, 0.2))
        queue(manage, seeds(2), 2)
        with worker(own_studio):
            for requests in (4, 12):
                wait_for(endpoint, requests)
                database.kill()
                time.sleep(1)
                database.start()
            results = audit(manage)
    require_whole(results, 2)
    assert sum(count - 1 for count in endpoint.stats()["repeated"].values()) <= 2 * 2


def test_the_clock_of_another_worker_goes_on_when_one_is_killed_with_its_runs(
    manage, own_studio, model, seeds
):
    own_studio.update(WORLDWRIGHT_HEARTBEAT_SECONDS="0.5", WORLDWRIGHT_LOST_AFTER_SECONDS="5")
    endpoint = model(delay=(0.1, 0.3))
    queue(manage, seeds(2), 2)
    with worker(own_studio) as first:
        wait_for(endpoint, 5)
        with worker(own_studio) as second:
            os.killpg(first.pid, signal.SIGKILL)
            first.wait()
            results = audit(manage)  # which itself looks for nothing that was lost
            assert second.poll() is None
    require_whole(results, 2)
    assert results["events"]["reaped"] >= 1
    assert sum(count - 1 for count in endpoint.stats()["repeated"].values()) <= 2
