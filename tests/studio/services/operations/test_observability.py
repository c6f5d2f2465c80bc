"""Probes, Prometheus figures and JSON log lines: what a supervisor, a scraper and a log store are told."""

from __future__ import annotations

import json
import logging
import socket
from urllib.request import urlopen

import pytest
import structlog
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from kombu.exceptions import OperationalError
from prometheus_client.parser import text_string_to_metric_families

from studio.log_lines import logging_configuration
from studio.models import LlmCall, Run, RunKind, RunState
from studio.services.accounts.accounts import issue_token
from studio.services.operations import metrics, process_metrics, readiness
from studio.services.runs import execution
from studio.work_queue import WorkQueue
from synthesis.worlds.open_instances import OPEN_INSTANCES
from synthesis.worlds.sandbox.kills import KILLS, KillReason
from synthesis.worlds.world import World


@pytest.fixture
def logged(monkeypatch) -> list[dict[str, object]]:
    """Lines of the log as JSON."""
    lines: list[dict[str, object]] = []
    parts = dict(logging_configuration(form="json", level="INFO")["formatters"]["json"])
    formatter = parts.pop("()")(**parts)

    class Keep(logging.Handler):
        def emit(self, line: logging.LogRecord) -> None:
            lines.append(json.loads(formatter.format(line)))

    handler = Keep()
    logger = logging.getLogger("studio")
    logger.addHandler(handler)
    before = logger.level
    logger.setLevel("INFO")
    yield lines
    logger.setLevel(before)
    logger.removeHandler(handler)


def test_health_asks_nothing_and_ready_asks_everything(client, db, settings, tmp_path, monkeypatch):
    settings.VAR_DIR = tmp_path
    monkeypatch.setitem(readiness.CHECKS, "broker", lambda: "")
    assert client.get("/health/").json()["status"] == "ok"
    assert client.get("/ready/").json() == {"status": "ready", "problems": {}}
    assert "no-store" in client.get("/ready/")["Cache-Control"]
    assert client.post("/ready/").status_code == 405


def test_what_is_missing_is_named_without_its_address(client, db, settings, tmp_path, monkeypatch):
    class Broken:
        def cursor(self) -> None:
            raise DatabaseError("password hunter2 refused at db.internal")

    def fail(*_, **__):
        raise OperationalError("amqp://guest:hunter2@broker.internal")

    settings.VAR_DIR = tmp_path / "gone"
    monkeypatch.setattr(readiness, "connections", {"default": Broken()})
    monkeypatch.setattr(readiness.current_app, "connection_for_write", fail)
    answer = client.get("/ready/")
    assert answer.status_code == 503
    assert answer.json()["problems"] == {
        "database": "cannot be reached",
        "broker": "cannot be reached",
        "storage": "WORLDWRIGHT_VAR cannot be written",
    }


def test_a_database_without_its_migrations_is_not_ready(client, db, monkeypatch):
    monkeypatch.setitem(readiness.CHECKS, "broker", lambda: "")
    own = MigrationRecorder(connection).migration_qs.filter(app="studio")
    own.filter(name=own.latest("name").name).delete()
    assert "1 migrations are not applied" in client.get("/ready/").json()["problems"]["database"]


def test_the_storage_needs_room(settings, tmp_path, monkeypatch):
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(readiness, "LEAST_FREE_BYTES", 2**62)
    assert "MiB are free" in readiness.CHECKS["storage"]()


def samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Figures by name and labels, as Prometheus reads them."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_figures_are_scraped_with_a_token(viewer, shelf):
    LlmCall.objects.create(provider="x", model="some-model", outcome="ok", cost="0.25", input_tokens=7)
    _, token = issue_token(user=viewer, name="prometheus", scopes=["read"])
    scraper = Client(headers={"Authorization": f"Bearer {token}"})
    scraper.get("/api/runs/77")
    figures = samples(scraper.get("/api/metrics").content.decode())
    labels = {"kind": "synthesis", "state": "running"}
    assert figures["worldwright_runs", frozenset(labels.items())] == 1
    assert figures["worldwright_attempts", frozenset({"stage": "tools", "accepted": "false"}.items())] == 1
    model = frozenset({"model": "some-model"}.items())
    assert figures["worldwright_spend_usd_total", model] == 0.25
    assert figures["worldwright_tokens_total", model] == 7
    waiting = [value for (name, _), value in figures.items() if name == "worldwright_claimable_runs"]
    assert sum(waiting) == Run.objects.claimable().count() > 0
    assert len(waiting) == len(WorkQueue)
    asked = {"method": "GET", "page": "api/runs/<int:run_id>", "status": "404"}
    assert figures["worldwright_requests_total", frozenset(asked.items())] >= 1
    assert Client().get("/api/metrics").status_code == 401


def test_the_sandbox_of_a_web_process_is_among_its_figures(db, clinic):
    with World(clinic) as world, world.instance():
        KILLS.add(KillReason.MEMORY)
        figures = samples(metrics.exposition().decode())
        assert figures["worldwright_instances", frozenset()] == len(OPEN_INSTANCES) >= 1
        memory = frozenset({"reason": "memory"}.items())
        assert figures["worldwright_sandbox_kills_total", memory] == KILLS.by_reason()[KillReason.MEMORY]
        assert figures["worldwright_held_runs", frozenset()] == 0


def test_a_worker_offers_its_figures_at_a_port_and_goes_on_without_one(settings, logged):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"metrics_port": port})
        taken.listen()
        assert process_metrics.offer() is None
    assert f"WORLDWRIGHT_METRICS_PORT: 127.0.0.1:{port} cannot be used" in str(logged[-1]["event"])
    offered = process_metrics.offer()
    assert offered is not None
    server, thread = offered
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            figures = samples(answer.read().decode())
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert ("worldwright_instances", frozenset()) in figures
    assert len([name for name, _ in figures if name == "worldwright_sandbox_kills_total"]) == len(KillReason)
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"metrics_port": 0})
    assert process_metrics.offer() is None


def test_no_request_makes_a_new_series(client, db):
    def pages() -> set[str]:
        return {
            dict(labels)["page"]
            for (name, labels) in samples(metrics.exposition().decode())
            if name == "worldwright_requests_total"
        }

    client.get("/nowhere/a/")
    before = pages()
    for number in range(5):
        client.get(f"/nowhere/{number}/")
    client.generic("BREW", "/nowhere/")
    assert pages() == before


def test_a_line_of_the_log_has_the_ids_of_request_and_run(client, viewer, logged, monkeypatch):
    client.get("/keys/", headers={"x-request-id": "abc-12345"})
    (line,) = [line for line in logged if line.get("page") == "keys/"]
    assert (line["request_id"], line["status"], line["level"]) == ("abc-12345", 302, "info")
    structlog.contextvars.clear_contextvars()
    run = Run.objects.create(kind=RunKind.SYNTHESIS, title="A desk", state=RunState.QUEUED)

    def work(lease: object) -> None:
        logging.getLogger("studio.work").warning("At work")

    execution.execute(run.pk, {RunKind.SYNTHESIS: work})
    (line,) = [line for line in logged if line["event"] == "At work"]
    assert (line["run_id"], line["logger"]) == (run.pk, "studio.work")


def test_a_run_is_queued_in_the_line_that_has_both_ids(as_, lead, logged, trajectory):
    answer = as_(lead).post("/api/judging", {"strategy": "code_only"}, content_type="application/json")
    assert answer.status_code == 202, answer.content
    (line,) = [line for line in logged if "is queued" in str(line["event"])]
    assert (line["run_id"], line["request_id"]) == (answer.json()["id"], answer["X-Request-ID"])
