"""Narrowing the list of trajectories."""

from __future__ import annotations

from typing import Any, get_args

import django_filters
from django.db.models import QuerySet

from studio.filters.facets import ListFilterSet, ValueFilter, YesOrNoFilter
from studio.models import EnvironmentState, TrajectoryRecord
from studio.models.trajectories import STOP_TITLES
from studio.services.rollouts.trajectory_selection import TrajectorySelection
from synthesis.documents.tasks import Difficulty, TaskKind
from synthesis.documents.verdict import LABEL_TITLES

FACETS = {"label": "Verdict", "agent": "Agent", "task_id": "Task"}
FACETS_EVERYWHERE = {"label": "Verdict", "agent": "Agent", "stop_reason": "Ended by"}
"""Across environments a task's id says little."""


UNLISTED = {
    "run": "Run",
    "environment": "Environment",
    "failure": "Failure",
    "task_id": "Task",
    "model": "Model",
    "state": "Level of the environment",
    "category": "Category",
    "kind": "Task kind",
    "difficulty": "Difficulty",
    "reward_min": "Reward at least",
    "reward_max": "Reward at most",
    "trainable": "Trainable",
    "disputed": "Verdicts disagree",
}
"""Filters that other pages link to."""


def _choices(values: Any) -> list[tuple[str, str]]:
    return [(value, value.capitalize()) for value in get_args(values)]


class TrajectoryFilter(ListFilterSet):
    """By task, agent, verdict, the environment and the reason it ended."""

    q = django_filters.CharFilter()
    environment = django_filters.CharFilter()
    label = django_filters.MultipleChoiceFilter(choices=list(LABEL_TITLES.items()))
    agent = ValueFilter()
    model = ValueFilter()
    stop_reason = django_filters.MultipleChoiceFilter(choices=list(STOP_TITLES.items()))
    task_id = ValueFilter()
    disputed = YesOrNoFilter()
    trainable = YesOrNoFilter()
    failure = ValueFilter()
    run = django_filters.NumberFilter(decimal_places=0, min_value=1, max_value=2**31 - 1)
    state = django_filters.MultipleChoiceFilter(choices=EnvironmentState.choices)
    category = ValueFilter()
    kind = django_filters.MultipleChoiceFilter(choices=_choices(TaskKind))
    difficulty = django_filters.MultipleChoiceFilter(choices=_choices(Difficulty))
    reward_min = django_filters.NumberFilter()
    reward_max = django_filters.NumberFilter()

    class Meta:
        """The fields of the address."""

        model = TrajectoryRecord
        fields = ()

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """As a selection does it, so that an export holds what the list shows."""
        return queryset.none() if self.form.errors else self.selection.narrow(queryset)

    @property
    def selection(self) -> TrajectorySelection:
        """What is narrowed; values that no filter can read are no part of it."""
        self.form.is_valid()  # reads the values; those that are none are left out
        return TrajectorySelection.of(self.form.cleaned_data)
