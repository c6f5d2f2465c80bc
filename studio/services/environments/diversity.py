"""Diversity: the report over the current revisions of many environments."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import QuerySet

from studio.models import DiversityProfileRecord, EnvironmentRecord, Revision
from studio.services.environments.environments import load_environment, measure
from synthesis.diversity import Diversity, diversity
from synthesis.documents.document import digest

KEPT_SECONDS = 24 * 3600
"""How long a computed report is kept; it is named by what went into it, so it never grows stale."""


@dataclass(frozen=True)
class DiversityReport:
    """The report and what it covers.

    Attributes:
        diversity: The figures.
        measured: Environments in it.
        environments: All that were chosen; those not measured yet are left out.
    """

    diversity: Diversity
    measured: int
    environments: int


def report(*, category: str = "") -> DiversityReport:
    """The report over all environments, or those of one category."""
    chosen = _chosen(category)
    ids = list(_measured(chosen).order_by("pk").values_list("pk", flat=True))
    key = f"diversity:{digest(','.join(map(str, ids)).encode())}"
    result: Diversity | None = cache.get(key)
    if result is None:
        result = diversity([record.load() for record in _measured(chosen).order_by("pk")])
        cache.set(key, result, KEPT_SECONDS)
    return DiversityReport(result, len(ids), chosen.count())


def measure_missing(*, category: str = "") -> int:
    """Measure the current revisions that have no diversity profile yet; how many were measured."""
    missing = Revision.objects.filter(pk__in=_chosen(category).values("current"), diversity_profile=None)
    count = 0
    for revision in missing.order_by("pk").iterator(chunk_size=50):
        measure(revision, load_environment(revision))
        count += 1
    return count


def categories() -> list[str]:
    """The categories there are."""
    environments = EnvironmentRecord.objects.order_by("category").values_list("category", flat=True)
    return list(environments.distinct())


def _chosen(category: str) -> QuerySet[EnvironmentRecord]:
    environments = EnvironmentRecord.objects.exclude(current=None)
    return environments.filter(category=category) if category else environments


def _measured(chosen: QuerySet[EnvironmentRecord]) -> QuerySet[DiversityProfileRecord]:
    return DiversityProfileRecord.objects.filter(revision__in=chosen.values("current"))
