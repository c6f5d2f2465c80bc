"""The operations page: the sandbox as the doctor sees it, and no address of anything."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from studio.models import Run, WorldServer
from studio.services.errors import StorageDown
from studio.services.operations import metrics, retention
from studio.services.runs import embedded_worker
from synthesis.worlds.sandbox.layer import Layer
from synthesis.worlds.sandbox.mode import SandboxMode
from synthesis.worlds.sandbox.probe import probe
from synthesis.worlds.sandbox.status import SandboxStatus


def test_every_layer_of_the_sandbox_is_shown_as_it_was_found(as_, viewer):
    page = as_(viewer).get("/operations/").content.decode()
    assert probe().layers
    assert [layer.name for layer in probe().layers if f">{layer.name}</th>" not in page] == []


def test_a_missing_boundary_is_named_with_the_way_out(as_, viewer, monkeypatch: pytest.MonkeyPatch):
    seccomp = Layer(
        name="seccomp",
        in_force=False,
        required=True,
        detail="the kernel refuses <filters>",
        remedy="Allow them.",
    )
    broken = SandboxStatus(mode=SandboxMode.SEALED, host="Linux", layers=(seccomp,))
    monkeypatch.setattr("studio.services.operations.overview.probe", lambda: broken)
    page = as_(viewer).get("/operations/").content.decode()
    assert "Generated code is not run on this host" in page
    assert "the kernel refuses &lt;filters&gt;" in page
    assert "missing" in page


def test_it_tells_kinds_and_never_addresses(as_, viewer, settings):
    settings.CELERY_BROKER_URL = "redis://:hunter2@broker.internal:6379/0"
    page = as_(viewer).get("/operations/").content.decode()
    assert "hunter2" not in page
    assert "broker.internal" not in page
    assert ">redis</td>" in page


def test_strangers_are_sent_to_sign_in(client, db):
    assert client.get("/operations/").status_code == 302


def test_a_worker_that_was_replaced_is_told(as_, viewer):
    assert "workers are started separately" in as_(viewer).get("/operations/").content.decode()
    worker = embedded_worker.EmbeddedWorker()
    worker.note_start()
    embedded_worker.register(worker)
    try:
        assert "running since" in as_(viewer).get("/operations/").content.decode()
        worker.note_end(-9)
        assert "not running" in as_(viewer).get("/operations/").content.decode()
        worker.note_start()
        page = as_(viewer).get("/operations/").content.decode()
    finally:
        embedded_worker.forget()
    assert "running since" in page
    assert "1; the last worker ended with signal SIGKILL" in page


def test_busy_workers_and_what_waits_are_shown(as_, viewer):
    for number, worker in enumerate(("first-host:7", "first-host:7", "second-host:9")):
        Run.objects.create(
            kind="synthesis", state="running", worker=worker, heartbeat_at=timezone.now(), title=str(number)
        )
    Run.objects.create(kind="synthesis", state="queued", title="waits")
    page = " ".join(as_(viewer).get("/operations/").content.decode().split())
    assert "Busy worker first-host:7</th> <td>2 runs</td>" in page
    assert "Busy worker second-host:9</th> <td>1 run</td>" in page
    assert "Runs that wait in the queue synthesis</th> <td>1</td>" in page
    assert "Free disk" in page


def test_retention_is_shown_also_while_the_storage_is_away(as_, viewer, settings, monkeypatch):
    page = as_(viewer).get("/operations/").content.decode()
    assert page.count("kept for ever") == 3

    def away(_: str) -> list[str]:
        raise StorageDown("The storage is away.")

    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"export_days": 30})
    monkeypatch.setattr(retention.stored_archives, "names", away)
    page = as_(viewer).get("/operations/").content.decode()
    assert page.count("deleted after 30 days") == 2
    assert "unknown, the storage cannot be used" in page


def test_world_servers_are_shown_with_their_state_and_what_they_say_is_text(
    as_, viewer, administrator, django_assert_max_num_queries
):
    page = as_(viewer).get("/operations/").content.decode()
    assert "worldwright serve BUNDLE --register URL" in page
    for name, age in (("first", 0), ("second", 3_600)):
        server = WorldServer.objects.create(
            name=name,
            address="http://<b>x</b>",
            registered_by=administrator,
            release="0.1.0",
            capacity=2_000,
            instances=1_500,
            sandbox={"mode": "sealed", "layers": {"seccomp": True, "<i>landlock</i>": False}},
            heartbeat_at=timezone.now() - timedelta(seconds=age),
        )
        for number in range(5):
            server.bundles.create(environment=f"desk_{number}", fingerprint="ab" * 32)
    client = as_(viewer)
    with django_assert_max_num_queries(30):
        page = " ".join(client.get("/operations/").content.decode().split())
    assert "1,500 of 2,000" in page
    assert "sealed, without &lt;i&gt;landlock&lt;/i&gt;" in page
    assert "http://&lt;b&gt;x&lt;/b&gt;" in page
    assert "and 2 more" in page
    assert page.count("</svg>Lost<") == 1
    assert 'href="http://&lt;b' not in page


def test_metrics_count_world_servers_by_state(administrator):
    common = {"registered_by": administrator, "capacity": 2}
    WorldServer.objects.create(name="first", **common)
    WorldServer.objects.create(
        name="second", heartbeat_at=timezone.now() - timedelta(seconds=3_600), **common
    )
    text = metrics.exposition().decode()
    assert 'worldwright_world_servers{state="ready"} 1.0' in text
    assert 'worldwright_world_servers{state="lost"} 1.0' in text
    assert 'worldwright_world_servers{state="full"} 0.0' in text
