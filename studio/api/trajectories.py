"""Trajectories for programs: find them, read them whole."""

from datetime import datetime
from typing import Annotated

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Field, FilterLookup, FilterSchema, Query, Router, Schema
from ninja.pagination import paginate

from studio.api.authentication import caller
from studio.models import TrajectoryRecord
from studio.services.refusals import Missing
from studio.services.trajectories import load_judged
from synthesis.documents.verdict import Label

router = Router()


class TrajectoryOut(Schema):
    """A trajectory as lists show it."""

    id: int
    environment: str = Field(alias="environment.name")
    task_id: str
    agent: str
    model: str
    seed: int
    stop_reason: str
    step_count: int
    changed_rows: int
    label: str
    reward: float | None
    trainable: bool
    disputed: bool
    created_at: datetime


class TrajectoryFilter(FilterSchema):
    """Which trajectories are listed."""

    environment: Annotated[str | None, FilterLookup("environment__name")] = None
    task_id: str | None = None
    agent: str | None = None
    label: Label | None = None
    trainable: bool | None = None
    disputed: bool | None = None
    run: Annotated[int | None, FilterLookup("run_id")] = None


@router.get("", response=list[TrajectoryOut], summary="List trajectories, newest first")
@paginate
def list_trajectories(request: HttpRequest, filters: Query[TrajectoryFilter]) -> QuerySet[TrajectoryRecord]:
    """Filter by environment, task, agent, label and run."""
    caller(request)
    found: QuerySet[TrajectoryRecord] = filters.filter(TrajectoryRecord.objects.listed())
    return found


@router.get("/{int:trajectory_id}", summary="One trajectory with its verdicts, whole")
def read_trajectory(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    """The document as it travels in a bundle: `trajectory` with its steps, and `verdicts`."""
    caller(request)
    record = (
        TrajectoryRecord.objects.select_related("revision", "environment")
        .prefetch_related("steps", "verdicts")
        .filter(pk=trajectory_id)
        .first()
    )
    if record is None:
        raise Missing(f"There is no trajectory {trajectory_id}.")
    return HttpResponse(load_judged(record).model_dump_json(), content_type="application/json")
