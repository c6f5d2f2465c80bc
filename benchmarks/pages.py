"""Suite `pages`: what every address of the studio costs on a full database.

A page is asked for through Django's test client, with all middleware, by an administrator. Figures of each:
queries, median and 95th percentile of the server's time in milliseconds, and the size in kB. `browser` has
the first paints in chromium of a replay of 400 steps, one of them with a result of 20 MB, and of a table of
a million rows. DATABASE_URL chooses the database server; SQLite without it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.machine import machine
from benchmarks.sample import Sample, rounded
from benchmarks.studio_database import fresh_studio
from benchmarks.subject import SEED, SENTENCE
from synthesis.procedural.business.author import compose

if TYPE_CHECKING:
    from benchmarks.studio_population import StudioPopulation
    from benchmarks.studio_singles import Singles

COUNT = 1_000
"""Environments; with 35 tools, 10 tasks and 50 trajectories each."""
QUICK_SHARE = 20
MOST_QUERIES, MOST_P50_MS, MOST_P95_MS, MOST_KB = 15, 300, 800, 500

FOREIGN = frozenset({"admin"})
"""Namespaces whose pages are not the studio's own."""


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """The suite's figures; `--count` environments, a twentieth of them with `--quick`."""
    count = arguments.count or (COUNT // QUICK_SHARE if arguments.quick else COUNT)
    return run(count=count, times=6 if arguments.quick else 30)


def run(*, count: int, times: int) -> dict[str, Any]:
    """Every page, asked for several times after it was once.

    Args:
        count: Environments, at least 2.
        times: Timed requests of each page.
    """
    count = max(count, 2)
    environment = compose(SENTENCE, seed=SEED)
    with tempfile.TemporaryDirectory() as place, fresh_studio(Path(place)) as vendor:
        from benchmarks import first_paint, studio_population, studio_singles
        from studio.services.browse import state_queries

        began = time.perf_counter()
        population = studio_population.populate(environment, count=count)
        single = studio_singles.singles(
            record=population.record, environment=environment, user=population.user
        )
        figures: dict[str, Any] = {
            "suite": "pages",
            "machine": machine(),
            "database": {
                "vendor": vendor,
                "environments": count,
                "tools": count * studio_population.TOOLS,
                "tasks": count * studio_population.TASKS,
                "trajectories": count * studio_population.TRAJECTORIES + 2,
                "filled_s": rounded(time.perf_counter() - began),
            },
            **measure(population, single, times),
        }
        large = studio_singles.large_environment(environment)
        figures["browser"] = first_paint.measure(user=population.user, heavy=single.heavy, large=large)
        state_queries.close_all()
    return figures


def measure(population: StudioPopulation, single: Singles, times: int) -> dict[str, Any]:
    """`pages` by URL name, `not_measured` with the reason, `over` with what is beyond the goals."""
    from django.test import Client

    client = Client(raise_request_exception=False, headers={"host": "localhost"})
    pages: dict[str, dict[str, float]] = {}
    left_out: dict[str, str] = {}
    for name, path in addresses(population, single):
        if path is None:
            left_out[name] = "it needs an argument that the benchmark does not know"
            continue
        if name == "login":
            client.logout()
        else:
            client.force_login(population.user)
        result = _page(client, path, asked(name, population), times)
        if isinstance(result, str):
            left_out[name] = result
        else:
            pages[name] = result
    return {"pages": pages, "not_measured": left_out, "over": over(pages)}


def over(pages: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The pages beyond a goal, with the figures that are."""
    goals = {"queries": MOST_QUERIES, "p50_ms": MOST_P50_MS, "p95_ms": MOST_P95_MS, "kb": MOST_KB}
    results = {
        name: {key: page[key] for key, most in goals.items() if page[key] > most}
        for name, page in pages.items()
    }
    return {name: page for name, page in results.items() if page}


def addresses(population: StudioPopulation, single: Singles) -> Iterator[tuple[str, str | None]]:
    """Every URL name of the studio with an address that exists, or None where an argument is unknown."""
    from django.urls import NoReverseMatch, get_resolver, reverse

    known = _arguments(population, single)
    for name, wanted in sorted(_names(get_resolver(), "")):
        own = known | {"run_id": single.rollouts.pk} if name.startswith("rollouts") else known
        try:
            yield name, reverse(name, kwargs={key: own[key] for key in wanted})
        except (KeyError, NoReverseMatch):
            yield name, None


def _names(
    resolver: Any, prefix: str, inherited: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """URL names with the arguments their address takes, through all includes."""
    for entry in resolver.url_patterns:
        wanted = (*inherited, *entry.pattern.converters)
        if hasattr(entry, "url_patterns"):
            if entry.namespace not in FOREIGN:
                inner = f"{prefix}{entry.namespace}:" if entry.namespace else prefix
                yield from _names(entry, inner, wanted)
        elif entry.name:
            yield f"{prefix}{entry.name}", wanted


def _arguments(population: StudioPopulation, single: Singles) -> dict[str, object]:
    environment = population.environment
    known = {
        "name": population.record.name,
        "table": environment.schema.tables[0].name,
        "tool": environment.tools.tools[0].name,
        "task": environment.tasks.tasks[0].id,
        "claim": "near_misses_are_refused",
        "task_id": environment.tasks.tasks[0].id,
        "part": "tools",
        "part_name": "tools",
        "number": 1,
        "revision": 1,
        "index": 1,
        "step": 1,
        "token_id": 1,
        "notification_id": 1,
        "invitation_id": 1,
        "user_id": population.user.pk,
        "slug": "default",
        "server_id": 1,
        "code": "unknown",
        "uidb64": "MQ",
        "token": "unknown",
    }
    remaining = ("run", "attempt", "trajectory", "other", "bundle", "review", "flag", "comment")
    known |= {f"{name}_id": getattr(population, name).pk for name in remaining}
    return known | {
        f"{name}_id": getattr(single, name).pk for name in ("batch", "judging", "collection", "filter")
    }


def _page(client: Any, path: str, query: dict[str, str], times: int) -> dict[str, float] | str:
    """The figures of one page, or why there are none."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(path, query)  # templates, caches and a world's first start are not a page's cost
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(path, query)
    queries = len(captured)  # now: the log it reads starts over with the next request
    if answer.status_code == 405:
        return "it takes no GET"
    if answer.status_code >= 400:
        return f"it answered {answer.status_code}"
    values, size = [], 0
    for _ in range(times):
        began = time.perf_counter()
        size = _size(client.get(path, query))
        values.append((time.perf_counter() - began) * 1000)
    sample = Sample(tuple(values))
    return {
        "queries": queries,
        "p50_ms": rounded(sample.median),
        "p95_ms": rounded(sample.percentile(95)),
        "kb": rounded(size / 1000),
    }


def asked(name: str, population: StudioPopulation) -> dict[str, str]:
    """The query without which a page shows nothing."""
    known = {
        "jump": {"q": "world"},
        "environments_bulk": {"action": "checks"},
        "statistics_compare": {"first_agent": "reference", "second_agent": "random"},
    }
    if name in known:
        return known[name]
    if name in ("environment_row", "edit_row"):
        environment = population.environment
        row = environment.seed_data.rows[environment.schema.tables[0].name][0]
        return dict([next((column, str(value)) for column, value in row.items())])
    return {}


def _size(answer: Any) -> int:
    return sum(len(piece) for piece in answer.streaming_content) if answer.streaming else len(answer.content)
