"""Environments written by a model through real Celery workers: finished, killed, stopped, cut off.

The model is a scripted endpoint over real HTTP; the worker is a process; the broker and the database are
those that are configured.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.synthesis_endpoint import Endpoint
from tests.openai_server import OpenAIServer

pytestmark = pytest.mark.at_length

ROOT = Path(__file__).parents[3]
KEY = "sk-not-to-be-seen-anywhere-4711"
WRONG_KEY = "sk-wrong-and-not-to-be-seen-4712"
QUICKLY_LOST = {"WORLDWRIGHT_HEARTBEAT_SECONDS": "0.3", "WORLDWRIGHT_LOST_AFTER_SECONDS": "1"}

AUDIT = """
import json, time
from collections import Counter
from studio.models import AttemptRecord, EnvironmentRecord, LlmCall, Revision, Run, RunEvent
from studio.services.runs.runs import reap_runs
until = time.monotonic() + {seconds}
while Run.objects.active().exists() and time.monotonic() < until:
    reap_runs() if {reaps} else None
    time.sleep(0.2)
children = Run.objects.filter(parent__isnull=False)
made = Revision.objects.all()
print(json.dumps({{
    "states": Counter(children.values_list("state", flat=True)),
    "batch": list(Run.objects.filter(kind="batch").values_list("state", flat=True)),
    "errors": list(children.exclude(error="").values_list("error_type", "error_stage", "error")),
    "names": list(EnvironmentRecord.objects.values_list("name", flat=True)),
    "fingerprints": list(made.values_list("fingerprint", flat=True)),
    "proved": sum(revision.reports.filter(passed=True).exists() for revision in made),
    "attempts": [list(one) for one in AttemptRecord.objects.values_list("run", "stage", "number", "reply")],
    "paid": LlmCall.objects.filter(outcome__in=("answered", "cut_off", "declined")).count(),
    "events": Counter(RunEvent.objects.values_list("kind", flat=True)),
}}))
"""

CRAWL = """
import html, re
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
settings.ALLOWED_HOSTS.append("testserver")
User.objects.create_superuser("root", password="root-secret-1")
client = Client(raise_request_exception=False)
client.force_login(User.objects.get(username="root"))
todo, seen = ["/", "/runs/", "/operations/", "/api/runs"], set()
while todo and len(seen) < 250:
    address = todo.pop(0)
    if address in seen or "logout" in address:
        continue
    seen.add(address)
    answer = client.get(address)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    print(address, answer.status_code, body.decode("utf-8", "replace"))
    todo += [html.unescape(found) for found in re.findall(r'(?:href|hx-get)="(/[^"#]*)"', str(body))]
"""


@pytest.fixture
def seeds(tmp_path: Path) -> Callable[[int], str]:
    """Writes a file of so many seeds."""

    def write(count: int) -> str:
        path = tmp_path / "seeds.jsonl"
        names = (f"Clinic number {number}: the front desk of a clinic" for number in range(count))
        path.write_text("\n".join(json.dumps({"sentence": name}) for name in names))
        return str(path)

    return write


@pytest.fixture
def model(own_studio: dict[str, str]) -> Iterator[Callable[..., Endpoint]]:
    """Starts the endpoint and tells the studio of it."""
    with contextlib.ExitStack() as opened:

        def start(*, broken: float = 0.0, delay: tuple[float, float] = (0.0, 0.1)) -> Endpoint:
            endpoint = Endpoint(broken=broken, delay=delay)
            server = opened.enter_context(OpenAIServer(endpoint, key=KEY))
            own_studio.update(
                OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=KEY, WORLDWRIGHT_MODEL="clinic-model"
            )
            return endpoint

        yield start


@contextlib.contextmanager
def worker(environ: dict[str, str], *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of its own, gone at the end with all it started."""
    command = [sys.executable, "-W", "ignore", "manage.py", "worker", "--concurrency", "3", *more]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(endpoint: Endpoint, requests: int) -> None:
    """Until the model was asked so often."""
    until = time.monotonic() + 120
    while endpoint.stats()["asked"] < requests:
        assert time.monotonic() < until, "the model is not asked any more"
        time.sleep(0.02)


def queue(manage: Any, seeds: str, count: int) -> None:
    """Migrate, and queue a batch that no worker takes yet."""
    assert manage("migrate", "-v0").returncode == 0
    arguments = ("--seeds", seeds, "--count", str(count), "--author", "model", "--no-wait")
    queued = manage("synthesize", *arguments)
    assert queued.returncode == 0, queued.stderr


def audit(manage: Any, *, reaps: bool = False, seconds: int = 240) -> dict[str, Any]:
    """What stands in the studio once nothing is active any more."""
    message = manage("shell", "-v0", "-c", AUDIT.format(reaps=reaps, seconds=seconds))
    assert message.returncode == 0, message.stderr
    return dict(json.loads(message.stdout.splitlines()[-1]))


def require_whole(found: dict[str, Any], count: int) -> None:
    """Every environment is there once, proved, and no attempt is recorded twice."""
    assert found["states"] == {"finished": count}, found["errors"]
    assert found["batch"] == ["finished"]
    assert len(set(found["fingerprints"])) == len(found["fingerprints"]) == count
    assert len(set(found["names"])) == found["proved"] == count
    attempts = [tuple(attempt) for attempt in found["attempts"]]
    assert len(attempts) == len(set(attempts))


def test_seeds_become_proved_environments_though_one_reply_in_ten_is_broken_and_the_key_is_nowhere(
    manage, own_studio, model, seeds, tmp_path
):
    endpoint = model(broken=0.1)
    assert manage("migrate", "-v0").returncode == 0
    arguments = ("synthesize", "--seeds", seeds(3), "--count", "3", "--author", "model", "--json")
    result = manage(*arguments, "--workers", "3", WORLDWRIGHT_LOG_LEVEL="DEBUG")
    assert result.returncode == 0, result.stderr
    results = audit(manage)
    require_whole(results, 3)
    assert endpoint.stats()["broken"] > 0
    refused = manage(*arguments[:1], "A desk", "--author", "model", OPENAI_API_KEY=WRONG_KEY)
    assert refused.returncode == 1
    assert "[key]" in refused.stderr
    pages = manage("shell", "-v0", "-c", CRAWL, WORLDWRIGHT_LOG_LEVEL="ERROR")
    assert pages.returncode == 0, pages.stderr
    assert pages.stdout.count(" 200 ") > 30
    exported = manage("export_bundle", results["names"][0], "--waiver", "For a test.")
    assert exported.returncode == 0, exported.stderr
    dumped = manage("dumpdata", "studio")
    everything = "".join(
        one.stdout + one.stderr for one in (result, refused, pages, exported, dumped)
    ).encode()
    files = [path for path in Path(own_studio["WORLDWRIGHT_VAR"]).rglob("*") if path.is_file()]
    assert any(path.suffix == ".zip" for path in files)
    everything += b"".join(path.read_bytes() for path in files)
    for secret in (KEY, WRONG_KEY):
        assert secret.encode() not in everything


def test_a_worker_killed_again_and_again_loses_nothing_and_pays_for_nothing_twice(
    manage, own_studio, model, seeds
):
    endpoint = model(delay=(0.02, 0.1))
    own_studio.update(QUICKLY_LOST)
    queue(manage, seeds(2), 2)
    in_flight = 0
    for requests in (3, 9, 17):
        with worker(own_studio, "--no-beat") as process:
            wait_for(endpoint, requests)
            os.killpg(process.pid, signal.SIGSTOP)
            # Each of the two runs waits for one answer at most, or has just got one and not kept it yet.
            in_flight += 2
        assert audit(manage, reaps=True, seconds=2)["states"] == {"queued": 2} or requests == 3
    with worker(own_studio, "--no-beat"):
        results = audit(manage, reaps=True)
    require_whole(results, 2)
    assert results["events"]["reaped"] >= 3
    repeated = endpoint.stats()["repeated"].values()
    assert sum(count - 1 for count in repeated) <= in_flight
    assert max(repeated, default=1) <= 4


def test_a_worker_that_is_asked_to_stop_hands_its_runs_back_and_the_next_goes_on_at_once(
    manage, own_studio, model, seeds
):
    endpoint = model(delay=(0.05, 0.2))
    queue(manage, seeds(2), 2)
    with worker(own_studio, "--no-beat") as process:
        wait_for(endpoint, 6)
        process.terminate()
        process.wait(timeout=60)
    handed_back = audit(manage, seconds=0)
    assert handed_back["states"] == {"queued": 2}
    assert handed_back["events"]["handed_back"] == 2
    with worker(own_studio, "--no-beat"):
        results = audit(manage)
    require_whole(results, 2)
    assert "reaped" not in results["events"]
    assert endpoint.stats()["repeated"] == {}
    assert results["paid"] == endpoint.stats()["asked"]


@pytest.mark.service
def test_a_broker_that_dies_and_comes_back_empty_costs_nothing(manage, own_studio, model, seeds, tmp_path):
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed, so no broker could be restarted")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program, "--port", str(port), "--save", "", "--dir", str(tmp_path), "--bind", "127.0.0.1"]
    own_studio.update(QUICKLY_LOST, CELERY_BROKER_URL=f"redis://127.0.0.1:{port}/0")
    endpoint = model()
    broker = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        queue(manage, seeds(2), 2)
        with worker(own_studio) as process:
            wait_for(endpoint, 5)
            broker.kill()
            broker.wait()
            wait_for(endpoint, 9)
            broker = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            results = audit(manage)
            assert process.poll() is None, "the worker ended with the connection that it lost"
            assert manage("synthesize", "A desk lends umbrellas", "--no-wait").returncode == 0
            afterwards = audit(manage, seconds=60)
    finally:
        broker.kill()
        broker.wait()
    require_whole(results, 2)
    assert endpoint.stats()["repeated"] == {}
    assert len(afterwards["names"]) == 3


@pytest.mark.service
def test_database_connections_that_are_cut_cost_at_most_the_attempt_in_flight(
    manage, own_studio, model, seeds
):
    address = own_studio.get("DATABASE_URL", "")
    if not address.startswith("postgres"):
        pytest.skip("DATABASE_URL names no PostgreSQL, so no connection could be cut")
    import psycopg

    endpoint = model(delay=(0.02, 0.1))
    own_studio.update(WORLDWRIGHT_HEARTBEAT_SECONDS="0.5", WORLDWRIGHT_LOST_AFTER_SECONDS="5")
    queue(manage, seeds(2), 2)
    with worker(own_studio):
        for requests in (3, 7, 11, 15):
            wait_for(endpoint, requests)
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        results = audit(manage)
    require_whole(results, 2)
    assert sum(count - 1 for count in endpoint.stats()["repeated"].values()) <= 4 * 2
