"""Batches for programs: estimate, start, figures, candidates, attempts to go on."""

from typing import Any, Literal

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status
from ninja.pagination import paginate

from studio.api.authentication import caller, needs
from studio.api.runs import RunOut, SummaryOut, SynthesisBatchIn
from studio.models import Act, Run, ScenarioCandidate
from studio.services.llm import spend
from studio.services.llm.batch_budget import limits_of
from studio.services.runs import runs
from studio.services.runs.batch_summary import summarise
from studio.services.synthesis import batch_estimate, batch_reading, batches

router = Router()


class StageEstimateOut(Schema):
    """What one stage will need; `basis` is "recorded" here or "published" for AWM."""

    tokens: int
    cost: float | None
    basis: str


class EstimateOut(Schema):
    """What a batch will need; money in US dollars, tokens are input plus output."""

    environments: int
    author: str
    model: str
    tokens: int
    cost: float | None
    recorded: int
    basis: str
    sentence: str
    expansion: StageEstimateOut | None
    stages: dict[str, StageEstimateOut]


class BatchLimitOut(Schema):
    """A limit that is reached; `setting` is the variable to raise, empty for the batch's own."""

    span: str
    kind: str
    spent: float
    most: float
    setting: str


class BudgetPauseOut(Schema):
    """What a spent budget paused; resume to go on."""

    reached: list[BatchLimitOut]
    message: str
    held: int
    in_flight: int
    finished: int


class BatchOut(Schema):
    """The present state and figures of a batch."""

    run: RunOut
    priority: int
    budget: dict[str, float]
    summary: SummaryOut
    candidates: dict[str, int]
    held: BudgetPauseOut | None


class CandidateOut(Schema):
    """A proposed scenario; `nearest_position` and `run` lead to both ends of the links."""

    position: int
    round: int
    name: str
    category: str
    description: str
    seed: str
    decision: str
    reason: str
    nearest: str
    nearest_position: int | None = Field(None, alias="neighbour.position")
    similarity: float
    method: str
    suitability: dict[str, Any] | None
    run: int | None = Field(None, alias="run_id")
    resembled: int
    """Later proposals whose nearest neighbour it is."""


class BudgetIn(Schema):
    """The batch's own limits; left out is no limit."""

    cost: float | None = None
    tokens: int | None = None


class CandidateFilter(Schema):
    """Which candidates are listed."""

    decision: Literal[
        "", "rejected", "accepted", "duplicate", "category_full", "unsuitable", "unreadable"
    ] = ""
    q: str = ""
    near: int | None = None
    """Position of a candidate: it and those whose nearest neighbour it is."""


@router.post(
    "/estimate",
    response=EstimateOut,
    summary="Estimate tokens and cost of a batch",
    auth=needs(Act.SYNTHESISE),
)
def estimate(request: HttpRequest, body: SynthesisBatchIn) -> batch_estimate.BatchEstimate:
    """From recorded averages per stage of earlier environments, or from published figures without any.

    Refused with the same words as the start itself; nothing is queued.
    """
    _, expands, _ = batches.require_startable(**body.model_dump())
    return batch_estimate.estimate_batch(count=body.count, author=body.author, expands=expands)


@router.post("", response={202: RunOut}, summary="Start a batch of syntheses", auth=needs(Act.SYNTHESISE))
def start(request: HttpRequest, body: SynthesisBatchIn) -> Status[Any]:
    """The batch is a run whose children are the environments' runs; list them at /runs with `parent`."""
    person = caller(request)
    return Status(202, batches.start_batch(**body.model_dump(), requested_by=person))


@router.get("/{int:batch_id}", response=BatchOut, summary="One batch with its figures")
def read(request: HttpRequest, batch_id: int) -> dict[str, Any]:
    """Funnel per stage, spend beside AWM's, throughput, causes of failure, and what a budget holds back."""
    return _batch_out(batch_reading.find_batch(batch_id))


@router.get(
    "/{int:batch_id}/candidates", response=list[CandidateOut], summary="Scenarios that an expansion proposed"
)
@paginate
def list_candidates(
    request: HttpRequest, batch_id: int, filters: Query[CandidateFilter]
) -> QuerySet[ScenarioCandidate]:
    """Kept and rejected ones with reason, nearest neighbour, similarity and method."""
    return batch_reading.candidates_of(
        batch_reading.find_batch(batch_id), decision=filters.decision, words=filters.q, near=filters.near
    )


@router.post(
    "/{int:batch_id}/retry-failed",
    response={202: list[RunOut]},
    summary="Retry all failed runs",
    auth=needs(Act.SYNTHESISE),
)
def retry_failed(request: HttpRequest, batch_id: int) -> Status[Any]:
    """New runs in their places; finished parts are reused."""
    person = caller(request)
    batch = batch_reading.find_batch(batch_id)
    return Status(202, runs.retry_failed(batch=batch, requested_by=person))


@router.post(
    "/{int:batch_id}/budget",
    response=BatchOut,
    summary="Change the budget of a batch",
    auth=needs(Act.SYNTHESISE),
)
def set_budget(request: HttpRequest, batch_id: int, body: BudgetIn) -> dict[str, Any]:
    """What is held back goes on when the batch is resumed (`/runs/{id}/resume`)."""
    batch = batch_reading.find_batch(batch_id)
    return _batch_out(batches.set_budget(batch=batch, cost=body.cost, tokens=body.tokens))


def _batch_out(batch: Run) -> dict[str, Any]:
    summary = summarise(batch)
    return {
        "run": batch,
        "priority": batch.priority,
        "budget": limits_of(batch),
        "summary": summary,
        "candidates": batch_reading.count_candidates(batch).by_decision,
        "held": spend.budget_pause(batch, summary) if summary.paused or batch.paused_at else None,
    }
