"""Rollouts for programs: batches of episodes with live figures, statistics, comparisons, replays."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from studio.api.authentication import caller
from studio.api.runs import RunOut
from studio.models import Act, TrajectoryRecord
from studio.services import drift, rollout_batches, rollout_statistics, rollout_summary, runs
from studio.services.kept_statistics import kept
from studio.services.refusals import Missing
from studio.services.rollout_agents import AgentSettings
from studio.services.rollout_batches import TaskFilter
from studio.services.rollout_statistics import Selection
from studio.services.rollouts import MOST_AT_ONCE, PlaySettings

router = Router()


class BatchIn(Schema):
    """Environments x tasks x samples; an empty part narrows nothing."""

    environments: list[str] = Field(default_factory=list)
    state: str = ""
    category: str = ""
    most: int | None = Field(None, ge=1)
    agents: list[str] = Field(min_length=1)
    tasks: list[str] = Field(default_factory=list)
    kinds: list[str] = Field(default_factory=list)
    difficulties: list[str] = Field(default_factory=list)
    samples: int = 1
    first_seed: int = Field(0, ge=0)
    model: str = ""
    history: str = ""
    temperature: float | None = Field(None, ge=0, le=2)
    call_seconds: float = Field(120.0, gt=0, le=3_600)
    max_steps: int | None = Field(None, ge=1, le=1_000)
    at_once: int = Field(4, ge=1, le=MOST_AT_ONCE)
    isolation: Literal["process", "shared"] = "process"
    budget_cost: float | None = None
    budget_tokens: int | None = None
    priority: int = Field(0, ge=-100, le=100)


class FailureOut(Schema):
    """Failed episodes of one kind."""

    kind: str
    title: str
    count: int


class FiguresOut(Schema):
    """A run or a batch of rollouts as it stands."""

    states: dict[str, int]
    paused: int
    episodes: int
    done: int
    running: int
    waiting: int
    labels: dict[str, int]
    failures: list[FailureOut]
    calls: int
    model_calls: int
    tokens: int
    cost: float
    episodes_per_s: float | None
    calls_per_s: float | None
    model_calls_per_s: float | None


class GroupOut(Schema):
    """The labels of one environment's or one task's episodes."""

    environment: str
    task: str
    played: int
    labels: dict[str, int]
    share: float | None


class Chosen(Schema):
    """Which stored tries are looked at."""

    run: int | None = None
    environment: str = ""
    category: str = ""
    agent: str = ""
    model: str = ""
    task: str = ""


@router.post("", response={202: RunOut}, summary="Let agents play many environments")
def start_batch(request: HttpRequest, body: BatchIn) -> Status[Any]:
    """The batch is a run whose children play; follow it at `/rollouts/{id}`."""
    person = caller(request, Act.SYNTHESISE)
    batch = rollout_batches.start_rollout_batch(
        environments=rollout_batches.environments_for(
            names=body.environments, state=body.state, category=body.category, most=body.most
        ),
        agents=body.agents,
        samples=body.samples,
        first_seed=body.first_seed,
        tasks=TaskFilter(
            names=tuple(body.tasks), kinds=tuple(body.kinds), difficulties=tuple(body.difficulties)
        ),
        play=PlaySettings(
            agent=AgentSettings(
                model=body.model,
                history=body.history,
                temperature=body.temperature,
                call_seconds=body.call_seconds,
            ),
            isolation=body.isolation,
            at_once=body.at_once,
            max_steps=body.max_steps,
        ),
        budget_cost=body.budget_cost,
        budget_tokens=body.budget_tokens,
        requested_by=person,
        priority=body.priority,
    )
    return Status(202, batch)


@router.get("/statistics", summary="How often agents succeed, with 95% intervals")
def read_statistics(request: HttpRequest, chosen: Query[Chosen], by: str = "agent") -> list[dict[str, Any]]:
    """By agent and, beside it, model, environment, category, difficulty or task."""
    caller(request)
    wanted = Selection(**chosen.model_dump())
    return kept(
        "figures", (wanted,), by, lambda: [each.figures() for each in rollout_statistics.tries(wanted, by)]
    )


@router.get("/comparison", summary="Whether the second of two sets of tries did better")
def read_comparison(
    request: HttpRequest,
    first_run: int | None = None,
    first_agent: str = "",
    first_model: str = "",
    second_run: int | None = None,
    second_agent: str = "",
    second_model: str = "",
) -> dict[str, Any]:
    """Paired by task: mean difference with its interval, and a two-sided sign test."""
    caller(request)
    sides = (
        Selection(run=first_run, agent=first_agent, model=first_model),
        Selection(run=second_run, agent=second_agent, model=second_model),
    )
    found = kept("compared", sides, "", lambda: rollout_statistics.compare(*sides)).comparison
    return {**found.model_dump(mode="json"), "significant": found.significant}


@router.get("/replays/{int:trajectory_id}", summary="A trajectory played again on a revision")
def read_replay(
    request: HttpRequest,
    trajectory_id: int,
    revision: Annotated[int | None, Query()] = None,
    full: bool = False,
) -> dict[str, Any]:
    """Every call that does not come to what is recorded, with what differs in it; `full=1` has every call
    with everything about it."""
    caller(request, Act.TRY)
    found = (
        TrajectoryRecord.objects.select_related("environment__current", "revision")
        .filter(pk=trajectory_id)
        .first()
    )
    if found is None:
        raise Missing(f"There is no trajectory {trajectory_id}.")
    return drift.replay_on(trajectory=found, number=revision).as_json(full=full)


@router.get("/{int:run_id}", response=FiguresOut, summary="A batch of rollouts in live figures")
def read_figures(request: HttpRequest, run_id: int) -> dict[str, Any]:
    """Playing, played, labels, tokens, money, and what a second brings."""
    caller(request)
    found = rollout_summary.summarise(runs.find(run_id))
    return {
        **{name: getattr(found, name) for name in FiguresOut.model_fields if name != "failures"},
        "failures": [{"title": title, "kind": kind, "count": n} for title, kind, n in found.failures],
    }


@router.get("/{int:run_id}/labels", response=list[GroupOut], summary="Labels by environment or by task")
def read_labels(request: HttpRequest, run_id: int, environment: str = "") -> list[rollout_summary.Group]:
    """By environment; with one named, by its tasks."""
    caller(request)
    return rollout_summary.groups(runs.find(run_id), environment=environment)


@router.post("/{int:run_id}/go-on", response=RunOut, summary="Play what a stopped batch left")
def go_on(request: HttpRequest, run_id: int) -> Any:
    """What was played is kept."""
    person = caller(request, Act.SYNTHESISE)
    return rollout_batches.go_on(batch=runs.find(run_id), requested_by=person)
