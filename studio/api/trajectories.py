"""Trajectories for programs: find them, read them whole."""

from datetime import datetime
from typing import Annotated, Any

from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse
from ninja import Field, FilterLookup, FilterSchema, Query, Router, Schema, Status
from ninja.pagination import paginate

from studio.api.authentication import caller, needs
from studio.api.runs import RunOut
from studio.models import Act, TrajectoryRecord
from studio.presentation.standalone_pages import html_attachment, replay_file
from studio.services.errors import Missing
from studio.services.exports import stored_archives, trajectory_exports
from studio.services.exports.trajectory_export_plan import ExportSettings, plan
from studio.services.rollouts.trajectories import load_judged
from studio.services.rollouts.trajectory_selection import TrajectorySelection
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


class TrajectoryQuery(FilterSchema):
    """Which trajectories are listed."""

    environment: Annotated[str | None, FilterLookup("environment__name")] = None
    task_id: str | None = None
    agent: str | None = None
    label: Label | None = None
    trainable: bool | None = None
    disputed: bool | None = None
    run: Annotated[int | None, FilterLookup("run_id")] = None


class TrajectoryExportIn(Schema):
    """What is exported and how; empty parts are as by default, `dry_run` only counts."""

    selection: TrajectorySelection = TrajectorySelection()
    settings: ExportSettings = ExportSettings()
    dry_run: bool = False


@router.get("", response=list[TrajectoryOut], summary="List trajectories, newest first")
@paginate
def list_trajectories(request: HttpRequest, filters: Query[TrajectoryQuery]) -> QuerySet[TrajectoryRecord]:
    """Filter by environment, task, agent, label and run."""
    trajectories: QuerySet[TrajectoryRecord] = filters.filter(TrajectoryRecord.objects.listed())
    return trajectories


@router.get("/{int:trajectory_id}", summary="One trajectory with its verdicts")
def read_trajectory(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    """The document as it travels in a bundle: `trajectory` with its steps, and `verdicts`."""
    record = (
        TrajectoryRecord.objects.select_related("revision", "environment")
        .prefetch_related("steps", "verdicts")
        .filter(pk=trajectory_id)
        .first()
    )
    if record is None:
        raise Missing(f"There is no trajectory {trajectory_id}.")
    return HttpResponse(load_judged(record).model_dump_json(), content_type="application/json")


@router.get("/{int:trajectory_id}/file", summary="One replay as a self-contained HTML file")
def read_replay_file(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    """For people without an account: task, steps, changed rows and verdicts; no script and no link."""
    record = TrajectoryRecord.objects.select_related("revision", "environment__current").filter(
        pk=trajectory_id
    ).first()  # fmt: skip
    if record is None:
        raise Missing(f"There is no trajectory {trajectory_id}.")
    return html_attachment(f"replay_{record.pk}", replay_file(record))


@router.post(
    "/exports",
    response={200: dict[str, Any], 202: RunOut},
    summary="Export trajectories",
    auth=needs(Act.EXPORT),
)
def start_export(request: HttpRequest, body: TrajectoryExportIn) -> Status[Any]:
    """The archive is written by a worker; a dry run answers with what would be in it by split, label and
    environment, and what would be left out and why."""
    person = caller(request)
    if body.dry_run:
        return Status(200, plan(body.selection, body.settings).as_json())
    return Status(
        202,
        trajectory_exports.start_export(selection=body.selection, wanted=body.settings, requested_by=person),
    )


@router.get("/exports/{int:run_id}/archive", summary="Download the archive of an export")
def read_export(request: HttpRequest, run_id: int) -> FileResponse:
    """The zip, with `data_card.json` and one file of lines per split."""
    return stored_archives.download(trajectory_exports.archive_of(trajectory_exports.find(run_id)))
