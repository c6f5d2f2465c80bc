"""Narrowing the list of trajectories."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import Q, QuerySet

from studio.filters.facets import ValueFilter
from studio.models import TrajectoryRecord
from studio.models.trajectories import STOP_TITLES
from synthesis.documents.verdict import LABEL_TITLES

FACETS = {"label": "Verdict", "agent": "Agent", "task_id": "Task"}
FACETS_EVERYWHERE = {"label": "Verdict", "agent": "Agent", "stop_reason": "Ended by"}
"""Across environments a task's id says little."""


UNLISTED = {"run": "Run", "environment": "Environment", "failure": "Failure", "task_id": "Task"}
"""Filters that other pages link to."""


class TrajectoryFilter(django_filters.FilterSet):
    """By task, agent, verdict and the reason it ended."""

    q = django_filters.CharFilter(field_name="task_id", lookup_expr="icontains")
    environment = django_filters.CharFilter(field_name="environment__name")
    label = django_filters.MultipleChoiceFilter(choices=list(LABEL_TITLES.items()))
    agent = ValueFilter(field_name="agent")
    stop_reason = django_filters.MultipleChoiceFilter(choices=list(STOP_TITLES.items()))
    task_id = ValueFilter(field_name="task_id")
    disputed = django_filters.BooleanFilter()
    failure = ValueFilter(field_name="failure")
    run = django_filters.NumberFilter(method="by_run")

    class Meta:
        """The fields of the address."""

        model = TrajectoryRecord
        fields = ("label", "agent", "stop_reason", "task_id", "disputed", "failure", "run")

    def by_run(self, queryset: QuerySet[Any], _: str, value: Any) -> QuerySet[Any]:
        """Played in that run or in one of its parts."""
        return queryset.filter(Q(run=value) | Q(run__parent=value))
