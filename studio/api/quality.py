"""Quality for programs: grade environments, read the grades and what they come to."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from studio.api.authentication import caller, needs
from studio.api.runs import RunOut
from studio.models import Act, QualityRecord
from studio.services.environments import environments
from studio.services.errors import Missing
from studio.services.judging import quality

router = Router()


class GradingIn(Schema):
    """What is to be graded: one environment, or a sample whose size comes from the settings when left out."""

    environment: str | None = None
    sample: int | None = None
    seed: int = 0


class GradeOut(Schema):
    """The newest grade of an environment."""

    environment: str = Field(alias="environment.name")
    revision: int = Field(alias="revision.number")
    judge: str
    cost: float | None
    created_at: datetime
    grade: dict[str, Any]

    @staticmethod
    def resolve_grade(record: QualityRecord) -> dict[str, Any]:
        """Scores with their reasons, bugs and blocked tasks."""
        return record.load().model_dump(mode="json")


@router.get("", response=dict[str, Any], summary="Means per criterion, bugs by class, blocked tasks")
def read(request: HttpRequest) -> dict[str, Any]:
    """Of the newest grades of current revisions, with people's grades and the published figures beside."""
    return quality.summary().as_json()


@router.get("/{name}", response=GradeOut, summary="The newest grade of one environment")
def read_one(request: HttpRequest, name: str) -> QualityRecord:
    """404 when it was never graded."""
    record = environments.find(name)
    newest = record.quality.select_related("environment", "revision").first()
    if newest is None:
        raise Missing(f"{name} has not been graded yet.", remedy="Start a grading run.")
    return newest


@router.post(
    "", response={202: RunOut}, summary="Grade environments with a judge model", auth=needs(Act.SYNTHESISE)
)
def start(request: HttpRequest, body: GradingIn) -> Status[Any]:
    """The run waits for a worker; follow it at /runs."""
    person = caller(request)
    run = quality.start_grading(
        environment=environments.find(body.environment) if body.environment else None,
        sample=body.sample,
        seed=body.seed,
        requested_by=person,
    )
    return Status(202, run)
