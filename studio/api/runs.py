"""Runs for programs: start them, watch them, stop them."""

from datetime import datetime
from typing import Annotated, Any

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, FilterLookup, FilterSchema, Query, Router, Schema, Status
from ninja.pagination import paginate
from pydantic import StrictInt

from studio.api.authentication import caller, needs
from studio.models import Act, AttemptRecord, Run, RunEvent, RunKind, RunState
from studio.services.environments import environments
from studio.services.rollouts import rollouts
from studio.services.runs import runs
from studio.services.runs.batch_summary import BatchSummary, summarise
from studio.services.synthesis import batches, synthesis

router = Router()


class RunOut(Schema):
    """A run as lists show it."""

    id: int
    kind: str
    state: str
    title: str
    stage: str
    done: int
    total: int
    environment: str | None = Field(None, alias="environment.name")
    parent: int | None = Field(None, alias="parent_id")
    retry_of: int | None = Field(None, alias="retry_of_id")
    result: dict[str, Any] | None
    error_type: str
    error: str
    error_stage: str
    priority: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    paused_at: datetime | None
    cancel_requested: bool


class EventOut(Schema):
    """One thing that happened; ask for what came after an id."""

    id: int
    kind: str
    stage: str
    text: str
    payload: dict[str, Any]
    at: datetime


class CallOut(Schema):
    """One row of the ledger: a call to a model, also one that failed."""

    model: str
    outcome: str
    error: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float
    at: datetime


class AttemptOut(Schema):
    """One ask-read-check, whole."""

    id: int
    stage: str
    number: int
    author: str
    model: str
    prompt: str
    reply: str
    findings: list[dict[str, Any]]
    accepted: bool
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float
    at: datetime


class AttemptWithCalls(AttemptOut):
    """An attempt with its rows of the ledger."""

    calls: list[CallOut]


class PriorityIn(Schema):
    """The priority of a waiting run; higher ones go first."""

    priority: int = Field(ge=-100, le=100)


class SynthesisIn(Schema, extra="forbid"):
    """What is to be made; a field of another name is an error, so that nothing asked for is left out."""

    sentence: str
    author: str = "procedural"
    seed: int = 0
    tasks: StrictInt | None = Field(None, ge=1, le=50, description="As the settings say when not given.")
    models: list[str] = Field(
        default_factory=list,
        max_length=8,
        description="Models of the model author instead of those of the settings; further ones stand in when "
        "those before are down. `model@endpoint` names one of another endpoint.",
    )
    second_models: list[str] = Field(
        default_factory=list,
        max_length=8,
        description="Models that are asked for a part when the first author has spent its attempts.",
    )
    priority: int = Field(0, ge=-100, le=100)


class SynthesisOut(RunOut):
    """The queued run, with what to know before it is made."""

    warnings: list[str] = Field(
        description="Set when some words of the sentence will not be represented: what was read, and which "
        "words. Cancel the run if you do not want that."
    )
    reading: dict[str, Any] | None = Field(
        description="What the procedural author read from the sentence; null where another author writes."
    )

    @staticmethod
    def resolve_warnings(run: Run) -> list[str]:
        """What its page would ask about before it was queued."""
        return synthesis.warnings_of(run)

    @staticmethod
    def resolve_reading(run: Run) -> dict[str, Any] | None:
        """What its page would show before it was queued."""
        return synthesis.reading_of_run(run)


class SynthesisBatchIn(Schema, extra="forbid"):
    """Many environments from a list of seeds."""

    seeds: list[str] = Field(min_length=1, max_length=100_000)
    count: int
    author: str = "procedural"
    first_seed: int = 0
    expand: bool | None = None
    tasks: int | None = Field(None, ge=1, le=50)
    budget_cost: float | None = None
    budget_tokens: int | None = None
    priority: int = Field(0, ge=-100, le=100)


class StageOut(Schema):
    """One stage over a batch, with the published figures beside it."""

    stage: str
    reached: int
    passed: int
    attempts: int
    first_attempts: float | None
    calls: int
    tokens: int
    cost: float | None
    cost_per_hundred: float | None
    published_first_attempts: float | None
    published_per_hundred: float | None


class CauseOut(Schema):
    """Runs that failed in the same way; `run` and `example` are of one of them."""

    error: str
    stage: str
    count: int
    run: int
    example: str


class SummaryOut(Schema):
    """A batch in figures; money in US dollars, tokens are input plus output."""

    states: dict[str, int]
    paused: int
    stages: list[StageOut]
    corrections: float | None
    published_corrections: float
    causes: list[CauseOut]
    per_hour: float | None
    calls_per_minute: float | None
    calls: int
    tokens: int
    cost: float | None
    expansion_cost: float | None
    cost_per_hundred: float | None
    published_per_hundred: float
    seconds: float | None


class RolloutIn(Schema):
    """What is to be played; no task means all of them."""

    environment: str
    agents: list[str] = Field(min_length=1)
    tasks: list[str] = Field(default_factory=list)
    seeds: list[int] = Field(default_factory=lambda: [0])


class RunQuery(FilterSchema):
    """Which runs are listed."""

    state: RunState | None = None
    kind: RunKind | None = None
    environment: Annotated[str | None, FilterLookup("environment__name")] = None
    parent: Annotated[int | None, FilterLookup("parent_id")] = None


@router.get("", response=list[RunOut], summary="List runs, newest first")
@paginate
def list_runs(request: HttpRequest, filters: Query[RunQuery]) -> QuerySet[Run]:
    """Filter by state, kind and environment."""
    results: QuerySet[Run] = filters.filter(Run.objects.listed())
    return results


@router.post(
    "/synthesis",
    response={202: SynthesisOut},
    summary="Synthesise an environment from a sentence",
    auth=needs(Act.SYNTHESISE),
)
def start_synthesis(request: HttpRequest, body: SynthesisIn) -> Status[Any]:
    """The run waits for a worker; watch it until its state is finished, failed or cancelled."""
    person = caller(request)
    targets = {"targets": {"tasks": body.tasks}} if body.tasks is not None else {}
    wanted = synthesis.new_request(
        **targets,
        sentence=body.sentence,
        author=body.author,
        seed=body.seed,
        models=tuple(body.models),
        second_models=tuple(body.second_models),
    )
    return Status(202, synthesis.start_synthesis(request=wanted, requested_by=person, priority=body.priority))


@router.post(
    "/batches",
    response={202: RunOut},
    summary="Start a batch of syntheses (also at /batches)",
    auth=needs(Act.SYNTHESISE),
)
def start_batch(request: HttpRequest, body: SynthesisBatchIn) -> Status[Any]:
    """The batch is a run whose children are the environments' runs; list them with `parent`."""
    person = caller(request)
    return Status(202, batches.start_batch(**body.model_dump(), requested_by=person))


@router.get("/{int:run_id}/summary", response=SummaryOut, summary="Figures of a batch")
def read_summary(request: HttpRequest, run_id: int) -> BatchSummary:
    """Funnel per stage, first attempts, corrections, spend, throughput, causes of failure."""
    return summarise(runs.find(run_id))


@router.post("/rollouts", response={202: RunOut}, summary="Start rollouts", auth=needs(Act.SYNTHESISE))
def start_rollouts(request: HttpRequest, body: RolloutIn) -> Status[Any]:
    """Every agent plays every task with every seed."""
    person = caller(request)
    run = rollouts.start_rollouts(
        record=environments.find(body.environment),
        agents=body.agents,
        tasks=body.tasks,
        seeds=body.seeds,
        requested_by=person,
    )
    return Status(202, run)


@router.get("/{int:run_id}", response=RunOut, summary="One run")
def read_run(request: HttpRequest, run_id: int) -> Run:
    """How far it is and how it ended."""
    return runs.find(run_id)


@router.get("/{int:run_id}/events", response=list[EventOut], summary="Events of a run, oldest first")
@paginate
def list_events(request: HttpRequest, run_id: int, after: int = 0) -> QuerySet[RunEvent]:
    """Only events with an id above `after`."""
    return runs.find(run_id).events.filter(id__gt=after)


@router.get("/{int:run_id}/attempts", response=list[AttemptOut], summary="Every attempt of a run")
@paginate
def list_attempts(request: HttpRequest, run_id: int) -> QuerySet[AttemptRecord]:
    """Prompt, reply and findings as they were."""
    return runs.find(run_id).attempts.all()


@router.get(
    "/{int:run_id}/attempts/{int:attempt_id}",
    response=AttemptWithCalls,
    summary="One attempt with its model calls",
)
def read_attempt(request: HttpRequest, run_id: int, attempt_id: int) -> AttemptRecord:
    """Prompt, reply, findings, and every call to a model that it took."""
    attempt = runs.find_attempt(run_id=run_id, attempt_id=attempt_id)
    attempt.calls = runs.calls_of(attempt)  # type: ignore[attr-defined]
    return attempt


@router.post(
    "/{int:run_id}/priority",
    response=RunOut,
    summary="Change the priority of a run",
    auth=needs(Act.SYNTHESISE),
)
def set_priority(request: HttpRequest, run_id: int, body: PriorityIn) -> Run:
    """Also of what waits of its children."""
    return runs.set_priority(run=runs.find(run_id), priority=body.priority)


@router.post("/{int:run_id}/cancel", response=RunOut, summary="Cancel a run", auth=needs(Act.SYNTHESISE))
def cancel_run(request: HttpRequest, run_id: int) -> Run:
    """A waiting run is cancelled at once, a running one stops at its next step."""
    return runs.request_cancel(run=runs.find(run_id))


@router.post(
    "/{int:run_id}/pause",
    response=RunOut,
    summary="Pause a run",
    auth=needs(Act.SYNTHESISE),
)
def pause_run(request: HttpRequest, run_id: int) -> Run:
    """What runs goes on to its end."""
    return runs.pause(run=runs.find(run_id))


@router.post(
    "/{int:run_id}/resume", response=RunOut, summary="Resume a paused run", auth=needs(Act.SYNTHESISE)
)
def resume_run(request: HttpRequest, run_id: int) -> Run:
    """Finished parts are reused."""
    return runs.resume(run=runs.find(run_id))


@router.post(
    "/{int:run_id}/retry",
    response={202: RunOut},
    summary="Retry a failed run",
    auth=needs(Act.SYNTHESISE),
)
def retry_run(request: HttpRequest, run_id: int) -> Status[Any]:
    """A new run of the same request that uses the parts the old one finished."""
    person = caller(request)
    return Status(202, runs.retry(run=runs.find(run_id), requested_by=person))
