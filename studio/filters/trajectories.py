"""Narrowing the list of trajectories."""

from __future__ import annotations

import django_filters

from studio.filters.facets import ValueFilter
from studio.models import TrajectoryRecord
from studio.models.trajectories import STOP_TITLES
from synthesis.documents.verdict import LABEL_TITLES

FACETS = {"label": "Verdict", "agent": "Agent", "task_id": "Task"}
FACETS_EVERYWHERE = {"label": "Verdict", "agent": "Agent", "stop_reason": "Ended by"}
"""Across environments a task's id says little."""


class TrajectoryFilter(django_filters.FilterSet):
    """By task, agent, verdict and the reason it ended."""

    q = django_filters.CharFilter(field_name="task_id", lookup_expr="icontains")
    environment = django_filters.CharFilter(field_name="environment__name")
    label = django_filters.MultipleChoiceFilter(choices=list(LABEL_TITLES.items()))
    agent = ValueFilter(field_name="agent")
    stop_reason = django_filters.MultipleChoiceFilter(choices=list(STOP_TITLES.items()))
    task_id = ValueFilter(field_name="task_id")
    disputed = django_filters.BooleanFilter()

    class Meta:
        """The fields of the address."""

        model = TrajectoryRecord
        fields = ("label", "agent", "stop_reason", "task_id", "disputed")
