"""The operations page: the sandbox as the doctor sees it, and no address of anything."""

from __future__ import annotations

import pytest
from django.utils import timezone

from studio.models import Run
from studio.services.errors import StorageDown
from studio.services.operations import retention
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
