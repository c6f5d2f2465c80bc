"""TrajectorySelection: which stored trajectories are meant, the same for lists, exports and programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from pydantic import Field

from studio.models import Element, ElementKind, TrajectoryRecord
from studio.services.environments.titles import with_task_called
from synthesis.documents.document import Document

_COLUMNS = {
    "label": "label__in",
    "agent": "agent__in",
    "model": "model__in",
    "stop_reason": "stop_reason__in",
    "task_id": "task_id__in",
    "failure": "failure__in",
    "state": "environment__state__in",
    "category": "environment__category__in",
    "environment": "environment__name",
    "reward_min": "reward__gte",
    "reward_max": "reward__lte",
    "disputed": "disputed",
    "trainable": "trainable",
}
"""Part of a selection to the condition it is."""

_OF_TASKS = ("kind", "difficulty")


class TrajectorySelection(Document):
    """Conditions that all hold; an empty part narrows nothing, several values of a part are alternatives."""

    q: str = ""
    """Words of a task's title or id."""
    environment: str = ""
    label: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    stop_reason: tuple[str, ...] = ()
    task_id: tuple[str, ...] = ()
    failure: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    """Level of the environment."""
    category: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    """Of the task, as it is in the environment's current revision."""
    difficulty: tuple[str, ...] = ()
    reward_min: float | None = None
    reward_max: float | None = None
    disputed: bool | None = None
    trainable: bool | None = None
    run: int | None = Field(default=None, ge=1, lt=2**31)
    """A run or a batch with all its parts."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """From values as forms and commands have them: None and "" narrow nothing, others are no part."""
        known = {name: value for name, value in values.items() if name in cls.model_fields}
        given = {name: value for name, value in known.items() if value not in (None, "", [], ())}
        return cls.model_validate(
            {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        )

    def narrow(self, trajectories: QuerySet[TrajectoryRecord]) -> QuerySet[TrajectoryRecord]:
        """Those of some trajectories that are meant."""
        for name, condition in _COLUMNS.items():
            value = getattr(self, name)
            if value not in (None, "", ()):
                trajectories = trajectories.filter(**{condition: value})
        if self.q:
            trajectories = with_task_called(trajectories, self.q)
        if self.run is not None:
            trajectories = trajectories.filter(Q(run=self.run) | Q(run__parent=self.run))
        for name in _OF_TASKS:
            if wanted := getattr(self, name):
                trajectories = trajectories.filter(Exists(_tasks(name, wanted)))
        return trajectories

    def as_record(self) -> dict[str, Any]:
        """What narrows, as plain values."""
        return {
            name: value for name, value in self.model_dump(mode="json").items() if value not in (None, "", [])
        }


def _tasks(name: str, wanted: tuple[str, ...]) -> QuerySet[Element]:
    """The task of a trajectory, where its figures have one of the values; they are stored as compact JSON."""
    elements = Element.objects.filter(
        kind=ElementKind.TASK, environment=OuterRef("environment"), name=OuterRef("task_id")
    ).annotate(text=Cast("figures", TextField()))
    holds = Q()
    for value in wanted:
        holds |= Q(text__contains=f'"{name}":"{value}"')
    return elements.filter(holds)
