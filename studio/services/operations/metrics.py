"""Figures for Prometheus: requests of this process, and what the database says of runs, calls and spend."""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Iterator

from django.db.models import Count, F, Sum
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from studio.models import AttemptRecord, LlmCall, Run, RunState, WorldServer, WorldServerState
from studio.services.operations import process_metrics
from studio.services.runs import dispatch
from studio.services.runs.workers import busy_workers, waiting_by_queue
from studio.work_queue import WorkQueue

REGISTRY = process_metrics.register(CollectorRegistry())
REQUESTS = Counter(
    "worldwright_requests", "Answered requests", ("method", "page", "status"), registry=REGISTRY
)
REQUEST_SECONDS = Histogram(
    "worldwright_request_seconds",
    "Time to an answer",
    ("method", "page"),
    buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10),
    registry=REGISTRY,
)


def count_request(*, method: str, page: str, status: int, seconds: float) -> None:
    """Add one answer.

    Args:
        method: HTTP method; what is not of the standard counts as "other".
        page: Pattern of the address, never the address itself.
        status: HTTP status.
        seconds: Time to the answer.
    """
    known = method if method in METHODS else "other"
    REQUESTS.labels(known, page, str(status)).inc()
    REQUEST_SECONDS.labels(known, page).observe(seconds)


METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


class StoredFigures(Collector):
    """Asks the database whenever somebody scrapes."""

    def collect(self) -> Iterator[Metric]:
        """Runs, stages, workers, attempts, calls, tokens, spend, queue."""
        yield _counted(
            "worldwright_runs", "Runs", ("kind", "state"), Run.objects.values_list("kind", "state")
        )
        running = Run.objects.filter(state=RunState.RUNNING)
        yield _counted(
            "worldwright_running_stages", "Running runs by stage", ("stage",), running.values_list("stage")
        )
        yield _counted(
            "worldwright_attempts",
            "Attempts of stages",
            ("stage", "accepted"),
            AttemptRecord.objects.values_list("stage", "accepted"),
        )
        yield _counted(
            "worldwright_model_calls", "Calls to models", ("model", "outcome"),
            LlmCall.objects.values_list("model", "outcome"),
        )  # fmt: skip
        yield from _spent()
        yield from _queues()
        yield from _world_servers()
        yield GaugeMetricFamily(
            "worldwright_busy_workers", "Workers that execute a run", value=len(busy_workers())
        )

    def describe(self) -> list[Metric]:
        """Nothing in advance: registering asks no database."""
        return []


REGISTRY.register(StoredFigures())


def exposition() -> bytes:
    """The figures in Prometheus's text format."""
    return generate_latest(REGISTRY)


def _counted(name: str, text: str, labels: tuple[str, ...], rows: object) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=labels)
    for *values, count in rows.order_by().annotate(rows=Count("pk")):  # type: ignore[attr-defined]
        family.add_metric([str(value).lower() for value in values], count)
    return family


def _queues() -> Iterator[Metric]:
    runs = GaugeMetricFamily("worldwright_claimable_runs", "Runs that wait for a worker", labels=["queue"])
    messages = GaugeMetricFamily(
        "worldwright_broker_messages", "Messages that wait at the broker", labels=["queue"]
    )
    waiting = waiting_by_queue()
    for queue in WorkQueue:
        runs.add_metric([queue], waiting[queue])
        messages.add_metric([queue], dispatch.waiting_messages(queue))
    yield runs
    yield messages


def _world_servers() -> Iterator[Metric]:
    servers = GaugeMetricFamily("worldwright_world_servers", "Registered servers of worlds", labels=["state"])
    registered = list(WorldServer.objects.all())
    states = Counted(server.state for server in registered)
    for state in WorldServerState:
        servers.add_metric([state], states[state])
    yield servers
    instances = GaugeMetricFamily(
        "worldwright_world_server_instances", "Open instances of registered servers", labels=["server"]
    )
    capacity = GaugeMetricFamily(
        "worldwright_world_server_capacity", "Instances that they can have at once", labels=["server"]
    )
    taken, most = Counted[str](), Counted[str]()  # two of one name would be two series of one name
    for server in registered:
        if server.state not in (WorldServerState.LOST, WorldServerState.LEFT):
            taken[server.name] += server.instances
            most[server.name] += server.capacity
    for name in taken:
        instances.add_metric([name], taken[name])
        capacity.add_metric([name], most[name])
    yield instances
    yield capacity


def _spent() -> Iterator[Metric]:
    spend = CounterMetricFamily("worldwright_spend_usd", "Money spent on models", labels=["model"])
    tokens = CounterMetricFamily("worldwright_tokens", "Input and output of models", labels=["model"])
    sums = (
        LlmCall.objects.order_by()
        .values_list("model")
        .annotate(cost=Sum("cost"), used=Sum(F("input_tokens") + F("output_tokens")))
    )
    for model, cost, used in sums:
        spend.add_metric([model], float(cost or 0))
        tokens.add_metric([model], used or 0)
    yield spend
    yield tokens
