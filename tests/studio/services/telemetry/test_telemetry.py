"""Traces and error reports carry ids and kinds, and nothing of what people, models and worlds say."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sentry_sdk
import structlog
from django.test import Client
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

from studio.models import Run, RunKind
from studio.services.runs import execution, runs
from studio.services.telemetry import error_reports, tracing

ROOT = Path(__file__).parents[4]
SECRET = "sk-4711 Ilse Winter owes 40 euros"
TRACE = "0af7651916cd43dd8448eb211c80319c"


class Held(Transport):
    """What would have been sent."""

    def __init__(self) -> None:
        super().__init__()
        self.envelopes: list[Envelope] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.envelopes.append(envelope)


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    tracing.begin("http://collector.example", exporter=exporter)
    yield exporter
    tracing.end()


@pytest.fixture
def reports() -> Iterator[Held]:
    transport = Held()
    error_reports.begin("https://public@sentry.example/1", transport=transport)
    yield transport
    sentry_sdk.get_global_scope().set_client(None)


def execute(run: Run, executor) -> None:
    structlog.contextvars.clear_contextvars()  # a worker answers no requests
    execution.execute(run.pk, {RunKind.SYNTHESIS: executor})


@pytest.fixture
def run(db) -> Run:
    return runs.queue_run(kind=RunKind.SYNTHESIS, title=SECRET, request={"sentence": SECRET})


def test_a_request_is_a_span_with_its_id_in_the_trace_of_its_proxy(db, spans):
    headers = {"X-Request-ID": "from-a-proxy-1", "traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    assert Client(headers=headers).get(f"/environments/nowhere/?q={SECRET}").status_code in (302, 404)
    (span,) = spans.get_finished_spans()
    assert span.name == "request"
    assert f"{span.context.trace_id:032x}" == TRACE
    assert span.attributes["worldwright.request_id"] == "from-a-proxy-1"
    assert span.attributes["worldwright.page"] == "environments/<slug:name>/"
    assert SECRET not in span.to_json()
    assert "nowhere" not in span.to_json()


def test_a_run_is_a_span_and_the_request_that_queued_it_names_it(db, spans):
    def work(lease) -> None:
        lease.note("stage_started", stage="tools", text=SECRET)
        lease.finish({"text": SECRET})

    with tracing.span("request", request_id="r-1"):
        run = runs.queue_run(kind=RunKind.SYNTHESIS, title=SECRET, request={"sentence": SECRET})
    execute(run, work)
    queued, executed = spans.get_finished_spans()
    assert [(each.name, each.attributes["worldwright.run_id"]) for each in queued.events] == [
        ("queued", run.pk)
    ]
    assert dict(executed.attributes) == {
        "worldwright.run_id": run.pk, "worldwright.kind": "synthesis", "worldwright.state": "finished",
    }  # fmt: skip
    assert [(each.name, each.attributes.get("worldwright.stage")) for each in executed.events] == [
        ("stage_started", "tools")
    ]
    assert SECRET not in queued.to_json() + executed.to_json()


def test_an_unexpected_error_is_reported_without_its_words(run, spans, reports):
    def work(lease) -> None:
        rows = SECRET
        raise ValueError(f"cannot read {rows}")

    execute(run, work)
    assert Run.objects.get(pk=run.pk).error_type == "ValueError"
    (envelope,) = reports.envelopes
    event = envelope.get_event()
    assert event["tags"] == {"run_id": str(run.pk)}
    assert event["logentry"] == {"message": "Run %s failed"}
    (error,) = event["exception"]["values"]
    assert error["type"] == "ValueError"
    assert error["stacktrace"]["frames"][-1]["function"] == "work"
    assert SECRET not in str(event)
    assert "Ilse" not in str(event)
    (span,) = spans.get_finished_spans()
    assert span.attributes["worldwright.error"] == "ValueError"
    assert SECRET not in span.to_json()


def test_lines_that_others_put_together_are_reported_without_their_text(reports):
    logging.getLogger("elsewhere").error(f"It said {SECRET}")  # noqa: G004 - what is not to be done
    logging.getLogger("studio.somewhere").error("Of %s", SECRET)
    logging.getLogger("studio.somewhere").warning("Nothing unexpected")
    first, second = (envelope.get_event() for envelope in reports.envelopes)
    assert "logentry" not in first
    assert second["logentry"] == {"message": "Of %s"}
    assert SECRET not in str(first) + str(second)


def test_nothing_is_sent_where_nothing_is_configured(run):
    tracing.begin("")
    error_reports.begin("")
    execute(run, lambda lease: lease.finish({}))
    assert tracing._tracers == []
    assert not sentry_sdk.get_client().is_active()


@pytest.mark.parametrize(
    ("variable", "value", "module", "extra"),
    [
        ("WORLDWRIGHT_OTEL_ENDPOINT", "http://collector:4318", "opentelemetry.sdk", "otel"),
        ("WORLDWRIGHT_SENTRY_DSN", "https://key-of-ours@sentry.example/1", "sentry_sdk", "sentry"),
    ],
)
def test_absent_packages_are_named_with_their_extra(tmp_path, variable, value, module, extra):
    code = f"import sys; sys.modules[{module!r}] = None; import studio.settings"
    environ = {**os.environ, "WORLDWRIGHT_VAR": str(tmp_path), variable: value}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert f"{variable} needs more packages: pip install 'worldwright[studio,{extra}]'" in last
    assert "key-of-ours" not in done.stderr
