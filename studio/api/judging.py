"""The judge lab for programs: measure judges, read their figures, give labels."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from studio.api.authentication import caller, needs
from studio.api.runs import RunOut
from studio.models import Act, VerdictRecord
from studio.services.environments import environments
from studio.services.judging import judge_figures, judging

router = Router()


class JudgingIn(Schema):
    """What is to be judged; numbers left out come from the settings, no environment means all of them."""

    strategy: str
    environment: str | None = None
    repeats: int | None = None
    sample: int | None = None
    seed: int = 0


class JudgeFiguresOut(Schema):
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
    """The stored label."""

    trajectory: int = Field(alias="trajectory_id")
    label: str
    disputed: bool = Field(alias="trajectory.disputed")
    created_at: datetime


@router.post(
    "",
    response={202: RunOut},
    summary="Judge stored trajectories several times",
    auth=needs(Act.SYNTHESISE),
)
def start_judging(request: HttpRequest, body: JudgingIn) -> Status[Any]:
    """The run waits for a worker; list such runs at /runs with `kind=judging`."""
    person = caller(request)
    run = judging.start_judging(
        strategy=body.strategy,
        environment=environments.find(body.environment) if body.environment else None,
        repeats=body.repeats,
        sample=body.sample,
        seed=body.seed,
        requested_by=person,
    )
    return Status(202, run)


@router.post("/labels", response=LabelOut, summary="Label a trajectory", auth=needs(Act.REVIEW))
def give_label(request: HttpRequest, body: LabelIn) -> VerdictRecord:
    """One label per person and trajectory; a second one takes the place of the first."""
    person = caller(request)
    return judging.label_by_person(
        trajectory_id=body.trajectory, author=person, label=body.label, comment=body.comment
    )


@router.get("/{int:run_id}", response=JudgeFiguresOut, summary="Reliability of a judge")
def read_figures(request: HttpRequest, run_id: int) -> dict[str, Any]:
    """Agreement, flips and kappa with intervals, confusion with others, trajectories in dispute."""
    run = judge_figures.find(run_id)
    return {
        "run": run.pk,
        "state": run.state,
        "summary": run.result,
        "comparisons": [each.as_json() for each in judge_figures.comparisons(run)],
        "disagreements": [each.as_json() for each in judge_figures.disagreements(run)],
    }
