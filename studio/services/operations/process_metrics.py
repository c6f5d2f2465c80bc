"""Figures for Prometheus of this process alone: what it keeps in the sandbox, and what ended there.

Web processes show them with all others; a worker, which answers no requests, offers them at a port of its
own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from threading import Thread
from wsgiref.simple_server import WSGIServer

from django.conf import settings
from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from studio.services.runs import heartbeat
from synthesis.worlds.open_instances import OPEN_INSTANCES
from synthesis.worlds.sandbox.kills import KILLS

logger = logging.getLogger(__name__)


class ProcessFigures(Collector):
    """Asks this process whenever somebody scrapes."""

    def collect(self) -> Iterator[Metric]:
        """Instances, ends of sealed processes, runs."""
        kills = CounterMetricFamily(
            "worldwright_sandbox_kills",
            "Sealed processes of this process that ended before their work did",
            labels=["reason"],
        )
        for reason, count in KILLS.by_reason().items():
            kills.add_metric([reason], count)
        yield kills
        yield GaugeMetricFamily(
            "worldwright_instances", "Open instances of worlds in this process", value=len(OPEN_INSTANCES)
        )
        yield GaugeMetricFamily(
            "worldwright_held_runs", "Runs that this process executes", value=len(heartbeat.held())
        )


def register(registry: CollectorRegistry) -> CollectorRegistry:
    """The registry, with the figures of this process."""
    ProcessCollector(registry=registry)
    registry.register(ProcessFigures())
    return registry


def offer() -> tuple[WSGIServer, Thread] | None:
    """Offer the figures of this worker at the port of the settings, if there is one.

    A port that another process has costs the figures and not the worker.

    Returns:
        The server and its thread, which end with the process; None where nothing is offered.
    """
    port, host = settings.WORLDWRIGHT.metrics_port, settings.WORLDWRIGHT.metrics_host
    if not port:
        return None
    try:
        return start_http_server(port, host, registry=register(CollectorRegistry()))
    except OSError as error:
        logger.error(
            "WORLDWRIGHT_METRICS_PORT: %s:%s cannot be used (%s); this worker shows no figures.",
            host,
            port,
            error.strerror or error,
        )
        return None
