"""Tracing: spans of requests and runs for a collector of OpenTelemetry; nothing where none is configured.

Spans hold ids, names of pages, kinds, states and types of errors. Nothing of worlds, no key, no address of a
page as it was asked for and no text of a person or a model is in them, nor an error's own words.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from synthesis.serving.release import VERSION

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

Value = str | int | float | bool

_tracers: list[Tracer] = []
"""That of this process, or none."""


def begin(endpoint: str, *, exporter: SpanExporter | None = None) -> None:
    """Send spans from now on.

    Args:
        endpoint: Address of the collector, which takes OTLP over HTTP; nothing is sent when empty.
        exporter: Another way to send them, at once, for tests.
    """
    if not endpoint:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

    provider = TracerProvider(
        resource=Resource.create({"service.name": "worldwright-studio", "service.version": VERSION})
    )
    if exporter is None:
        sender = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
        provider.add_span_processor(BatchSpanProcessor(sender))
    else:
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    _tracers[:] = [provider.get_tracer("worldwright", VERSION)]


def end() -> None:
    """Send no more."""
    _tracers.clear()


@contextlib.contextmanager
def span(name: str, *, headers: Mapping[str, str] | None = None, **attributes: Value) -> Iterator[None]:
    """A span for the time of a block, within the one that is open.

    Args:
        name: What is done, one of few.
        headers: Of a request, whose `traceparent` says to which trace it belongs.
        attributes: Their names get the prefix worldwright.
    """
    if not _tracers:
        yield
        return
    from opentelemetry.propagate import extract
    from opentelemetry.trace import Status, StatusCode

    with _tracers[0].start_as_current_span(
        name,
        context=extract(headers) if headers else None,
        attributes=_prefixed(attributes),
        record_exception=False,  # its words may be of a world
        set_status_on_exception=False,
    ) as current:
        try:
            yield
        except Exception as error:
            current.set_status(Status(StatusCode.ERROR))
            current.set_attribute("error.type", type(error).__name__)
            raise


def describe(**attributes: Value) -> None:
    """Say more about what is being done."""
    if _tracers:
        _current().set_attributes(_prefixed(attributes))


def note(event: str, **attributes: Value) -> None:
    """Something happened in what is being done.

    Args:
        event: Its kind, one of few.
        attributes: About it.
    """
    if _tracers:
        _current().add_event(event, _prefixed(attributes))


def _current() -> Span:
    from opentelemetry.trace import get_current_span

    return get_current_span()


def _prefixed(attributes: Mapping[str, Value]) -> dict[str, Value]:
    return {f"worldwright.{name}": value for name, value in attributes.items()}
