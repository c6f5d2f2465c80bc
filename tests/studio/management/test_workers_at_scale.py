"""Environments written by a model through real Celery workers: finished, killed, stopped, cut off.

The model is a scripted endpoint over real HTTP; the worker is a process; the broker and the database are
those that are configured.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.studio.management.model_batches import (
    KEY,
    QUICKLY_LOST,
    audit,
    queue,
    require_whole,
    wait_for,
    worker,
)

pytestmark = pytest.mark.at_length

WRONG_KEY = "sk-wrong-and-not-to-be-seen-4712"

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
