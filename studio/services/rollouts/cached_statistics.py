"""Cached statistics over stored episodes, valid until there are others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.core.cache import cache
from django.db.models import Count, Max

from studio.models import Revision, TrajectoryRecord
from studio.models.visibility import current
from studio.services.rollouts.rollout_statistics import Selection
from synthesis.documents.document import canonical_json, digest

KEPT_SECONDS = 600
"""Names of environments may change without a new revision; after so long, pages show the new ones."""

T = TypeVar("T")


def stored_state() -> tuple[Any, ...]:
    """What changes when a trajectory or a revision comes or goes."""
    episodes = TrajectoryRecord.objects.order_by().aggregate(newest=Max("pk"), count=Count("pk"))
    revision = Revision.objects.order_by().aggregate(newest=Max("pk"))["newest"]
    return episodes, revision


def cached(
    what: str,
    selections: Sequence[Selection],
    detail: str,
    compute: Callable[[], T],
    *,
    state: tuple[Any, ...] | None = None,
) -> T:
    """What was computed before while no trajectory and no revision came or went, or what is computed now.

    Args:
        what: Kind of result.
        selections: The episodes it is about.
        detail: What else it depends on.
        compute: Makes it.
        state: What `stored_state` told, where it was asked already.
    """
    episodes, revision = state or stored_state()
    wanted = [selection.model_dump(mode="json") for selection in selections]
    visible = current()
    projects = sorted(visible.chosen) if visible and visible.chosen is not None else None
    key = f"statistics-{digest(canonical_json([what, wanted, detail, episodes, revision, projects]))}"
    result: T | None = cache.get(key)
    if result is None:
        result = compute()
        cache.set(key, result, KEPT_SECONDS)
    return result
