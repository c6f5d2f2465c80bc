"""The judge lab for programs: measure judges, read their figures, give labels."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from studio.api.authentication import caller
from studio.api.runs import RunOut
from studio.models import Act, VerdictRecord
from studio.services import environments, judge_figures, judging

router = Router()


class JudgingIn(Schema):
    """What is to be judged; numbers left out come from the settings, no environment means all of them."""

    strategy: str
    environment: str | None = None
    repeats: int | None = None
    sample: int | None = None
    seed: int = 0


class FiguresOut(Schema):
    """A run of judgements in figures; `summary` is empty until it is finished."""

    run: int
    state: str
    summary: dict[str, Any] | None
    comparisons: list[dict[str, Any]]
    disagreements: list[dict[str, Any]]


class LabelIn(Schema):
    """What a person says a trajectory was worth."""

    trajectory: int
    label: str
    comment: str = ""


class LabelOut(Schema):
    """The label as it is kept."""

    trajectory: int = Field(alias="trajectory_id")
    label: str
    disputed: bool = Field(alias="trajectory.disputed")
    created_at: datetime


@router.post("", response={202: RunOut}, summary="Judge stored trajectories again, several times")
def start_judging(request: HttpRequest, body: JudgingIn) -> Status[Any]:
    """The run waits for a worker; list such runs at /runs with `kind=judging`."""
    person = caller(request, Act.SYNTHESISE)
    run = judging.start_judging(
        strategy=body.strategy,
        environment=environments.find(body.environment) if body.environment else None,
        repeats=body.repeats,
        sample=body.sample,
        seed=body.seed,
        requested_by=person,
    )
    return Status(202, run)


@router.post("/labels", response=LabelOut, summary="Say what a trajectory was worth")
def give_label(request: HttpRequest, body: LabelIn) -> VerdictRecord:
    """One label per person and trajectory; a second one takes the place of the first."""
    person = caller(request, Act.REVIEW)
    return judging.label_by_person(
        trajectory_id=body.trajectory, author=person, label=body.label, comment=body.comment
    )


@router.get("/{int:run_id}", response=FiguresOut, summary="How reliable a judge is")
def read_figures(request: HttpRequest, run_id: int) -> dict[str, Any]:
    """Agreement, flips and kappa with intervals, confusion with others, trajectories in dispute."""
    caller(request)
    run = judge_figures.find(run_id)
    return {
        "run": run.pk,
        "state": run.state,
        "summary": run.result,
        "comparisons": [each.as_json() for each in judge_figures.comparisons(run)],
        "disagreements": [each.as_json() for each in judge_figures.disagreements(run)],
    }
