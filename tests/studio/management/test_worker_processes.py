"""Workers started by `manage.py worker`: their names, their clock, and what they leave behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from benchmarks.own_services import free_port
from studio.management.worker_process import worker_arguments
from tests.studio.management.conftest import ROOT, Manage, processes_below, within

pytestmark = pytest.mark.at_length

QUICKLY_LOST = {"WORLDWRIGHT_HEARTBEAT_SECONDS": "1", "WORLDWRIGHT_LOST_AFTER_SECONDS": "3"}
"""The clock's period is never below five seconds."""

LOSE = """
from datetime import timedelta
from django.utils import timezone
from studio.models import Run, RunState
old = timezone.now() - timedelta(hours=1)
Run.objects.create(kind="synthesis", title="lost", state=RunState.RUNNING, request={}, claim="gone",
                   claims=99, started_at=old, heartbeat_at=old)
"""
STATE = "from studio.models import Run; print(*Run.objects.values_list('state', flat=True))"


QUEUE_TWO = """
from studio.services.runs.runs import queue_run
for kind in ("synthesis", "rollout"):
    queue_run(kind=kind, title="a request that fails at once", request={"nothing": "known"})
"""
STATES_BY_KIND = """
from studio.models import Run
print(*sorted(":".join(run) for run in Run.objects.values_list("kind", "state")))
"""


@contextmanager
def worker(environ: dict[str, str], log: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """`manage.py worker` as a process of its own."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "manage.py", "worker", *options],
            cwd=ROOT, env=environ | {"WORLDWRIGHT_LOG_LEVEL": "INFO"}, stdout=output, stderr=output,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def said(log: Path, text: str) -> Callable[[], bool]:
    return lambda: text in log.read_text()


def test_a_killed_worker_leaves_no_process_behind(manage: Manage, own_studio: dict[str, str], tmp_path: Path):
    assert manage("migrate", "-v0").returncode == 0
    with worker(own_studio, tmp_path / "log") as process:
        assert within(said(tmp_path / "log", " ready."))
        time.sleep(1)
        assert processes_below(process.pid) == set()


def test_its_clock_finds_runs_that_were_lost(manage: Manage, own_studio: dict[str, str], tmp_path: Path):
    assert manage("migrate", "-v0").returncode == 0
    assert manage("shell", "-v0", "-c", LOSE).returncode == 0
    with worker(own_studio | QUICKLY_LOST, tmp_path / "log"):
        assert within(lambda: manage("shell", "-v0", "-c", STATE).stdout.split() == ["failed"])


@pytest.mark.service
def test_two_workers_of_one_host_share_rabbitmq(manage: Manage, own_studio: dict[str, str], tmp_path: Path):
    try:
        socket.create_connection(("127.0.0.1", 5672), timeout=2).close()
    except OSError:
        pytest.skip("no RabbitMQ listens on 127.0.0.1:5672")
    assert manage("migrate", "-v0").returncode == 0
    environ = own_studio | {"CELERY_BROKER_URL": "amqp://guest:guest@127.0.0.1:5672//"}
    logs = tmp_path / "first", tmp_path / "second"
    with worker(environ, logs[0]) as first, worker(environ, logs[1]) as second:
        for log in logs:
            assert within(said(log, " ready.")), log.read_text()
        time.sleep(2)
        assert (first.poll(), second.poll()) == (None, None)


def test_a_worker_of_some_queues_leaves_the_others_to_others(
    manage: Manage, own_studio: dict[str, str], tmp_path: Path
):
    def states() -> list[str]:
        return manage("shell", "-v0", "-c", STATES_BY_KIND).stdout.split()

    assert manage("migrate", "-v0").returncode == 0
    assert manage("shell", "-v0", "-c", QUEUE_TWO).returncode == 0
    with worker(own_studio, tmp_path / "first", "--queues", "rollouts,transfers"):
        assert within(lambda: states() == ["rollout:failed", "synthesis:queued"])
        time.sleep(2)
        assert states() == ["rollout:failed", "synthesis:queued"]
    with worker(own_studio, tmp_path / "second", "--queues", "synthesis"):
        assert within(lambda: states() == ["rollout:failed", "synthesis:failed"])


def test_a_worker_shows_its_figures_at_its_port(manage: Manage, own_studio: dict[str, str], tmp_path: Path):
    assert manage("migrate", "-v0").returncode == 0
    port = free_port()
    with worker(own_studio | {"WORLDWRIGHT_METRICS_PORT": str(port)}, tmp_path / "log"):
        assert within(said(tmp_path / "log", " ready."))
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            figures = answer.read().decode()
    assert 'worldwright_sandbox_kills_total{reason="killed"} 0.0' in figures
    assert "worldwright_instances 0.0" in figures
    assert "process_cpu_seconds_total" in figures


def test_no_two_workers_have_one_name():
    names = {argument for _ in range(3) for argument in worker_arguments() if "--hostname" in argument}
    assert len(names) == 3
