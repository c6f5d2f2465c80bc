"""Every page asks the database little, with a dozen of everything as with one: 15 queries at most."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks import pages, studio_population, studio_singles
from benchmarks.subject import SEED, SENTENCE
from synthesis.procedural.business.author import compose

ANSWERS_NO_PAGE = frozenset({"theme", "logout"})


@pytest.fixture
def full(db: None) -> tuple[studio_population.StudioPopulation, studio_singles.Singles]:
    """A studio with twelve environments and 602 trajectories."""
    environment = compose(SENTENCE, seed=SEED)
    population = studio_population.populate(environment, count=12)
    single = studio_singles.singles(record=population.record, environment=environment, user=population.user)
    return population, single


def queries(client: Client, path: str, asked: dict[str, str]) -> int | None:
    """How many queries the second visit of a page costs; None where it is no page."""
    first = client.get(path, asked)
    if first.status_code >= 400:
        return None
    _close_file(first)
    with CaptureQueriesContext(connection) as captured:
        second = client.get(path, asked)
    _close_file(second)
    return len(captured)


def _close_file(answer: Any) -> None:
    """Close what a download reads from; closing the answer itself would close the test's connection, too."""
    for close in answer._resource_closers:
        close()


@pytest.mark.slow
def test_every_page_asks_at_most_fifteen_queries(full, client: Client) -> None:
    population, single = full
    client.force_login(population.user)
    results = {
        name: queries(client, path, pages.asked(name, population))
        for name, path in pages.addresses(population, single)
        if path is not None and not name.startswith("api:")
    }
    counted = {name: count for name, count in results.items() if count is not None}
    assert {name: count for name, count in counted.items() if count > pages.MOST_QUERIES} == {}
    assert len(counted) > 40


def test_every_page_is_known_to_the_benchmark(full) -> None:
    unknown = [name for name, path in pages.addresses(*full) if path is None]
    assert unknown == [], "teach benchmarks/pages.py the arguments of these addresses"
