"""Workers of two releases at one broker: the earlier one leaves what it does not know, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.studio.management.conftest import Manage, within
from tests.studio.management.test_worker_processes import said, worker

pytestmark = pytest.mark.at_length

EARLIER = """
import importlib.metadata as metadata
of = metadata.version
metadata.version = lambda name: "0.0.1" if name == "worldwright" else of(name)
"""
"""What Python imports at its start; the rest of the process is as it is."""

SEND_UNKNOWN = """
from celery import current_app
current_app.send_task("studio.of_a_later_release", args=[7], queue="worldwright")
"""
WAITING = """
from celery import current_app
with current_app.connection_for_write() as broker:
    channel = broker.default_channel
    print(channel.queue_declare(queue="worldwright", durable=True).message_count)
"""
EMPTY = """
from celery import current_app
with current_app.connection_for_write() as broker:
    broker.default_channel.queue_purge("worldwright")
"""
RUNS = """
from studio.models import Run, RunEvent
print(*Run.objects.values_list("state", "claims").get(), *RunEvent.objects.values_list("kind", flat=True))
"""


@pytest.fixture
def emptied(manage: Manage) -> Iterator[None]:
    """Leaves nothing at a broker that outlives the test."""
    yield
    done = manage("shell", "-v0", "-c", EMPTY)
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("emptied")
def test_an_earlier_worker_leaves_runs_and_tasks_of_a_later_release(
    manage: Manage, own_studio: dict[str, str], tmp_path: Path
):
    def printed(code: str) -> list[str]:
        done = manage("shell", "-v0", "-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    (tmp_path / "earlier").mkdir()
    (tmp_path / "earlier" / "sitecustomize.py").write_text(EARLIER)
    earlier = own_studio | {"PYTHONPATH": str(tmp_path / "earlier")}
    assert manage("migrate", "-v0").returncode == 0
    queued = manage("synthesize", "A desk lends umbrellas", "--no-wait")
    assert queued.returncode == 0, queued.stderr
    printed(SEND_UNKNOWN)
    log = tmp_path / "log"
    with worker(earlier, log, "--no-beat", "--concurrency", "2") as process:
        assert within(said(log, "was queued by a later release; upgrade this worker")), log.read_text()
        assert within(said(log, "This release has no task studio.of_a_later_release"))
        state, claims, *events = printed(RUNS)
        assert (state, claims) == ("queued", "0")
        assert events == ["queued", "left_to_later_release"]
        with worker(own_studio, tmp_path / "later", "--no-beat", "--queues", "synthesis"):
            assert within(lambda: printed(RUNS)[0] == "finished"), log.read_text()
        process.terminate()
        process.wait(timeout=60)
    assert printed(WAITING) == ["1"]  # the task that it did not know is still there for whoever knows it
    assert log.read_text().count("This release has no task") == 1
    assert printed(RUNS)[2:].count("finished") == 1
