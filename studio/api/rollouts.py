"""Rollouts for programs: batches of episodes with live figures, statistics, comparisons, replays."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from studio.api.authentication import caller, needs
from studio.api.runs import RunOut
from studio.api.whole_numbers import LARGEST
from studio.models import Act, TrajectoryRecord
from studio.services.errors import Missing
from studio.services.rollouts import drift, rollout_batches, rollout_statistics, rollout_summary
from studio.services.rollouts.cached_statistics import cached
from studio.services.rollouts.rollout_agents import AgentSettings
from studio.services.rollouts.rollout_batches import TaskFilter
from studio.services.rollouts.rollout_statistics import Selection
from studio.services.rollouts.rollouts import MOST_AT_ONCE, PlaySettings
from studio.services.runs import runs

router = Router()


class RolloutBatchIn(Schema):
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


class RolloutFiguresOut(Schema):
    """The present figures of a run or a batch of rollouts."""

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
    """Which stored episodes are looked at."""

    run: int | None = None
    environment: str = ""
    category: str = ""
    agent: str = ""
    model: str = ""
    task: str = ""


@router.post("", response={202: RunOut}, summary="Start a batch of rollouts", auth=needs(Act.SYNTHESISE))
def start_batch(request: HttpRequest, body: RolloutBatchIn) -> Status[Any]:
    """The batch is a run whose children play; follow it at `/rollouts/{id}`."""
    person = caller(request)
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
    wanted = Selection(**chosen.model_dump())
    return cached(
        "figures",
        (wanted,),
        by,
        lambda: [each.figures() for each in rollout_statistics.episode_counts(wanted, by)],
    )


@router.get("/comparison", summary="Compare two sets of episodes")
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
    sides = (
        Selection(run=first_run, agent=first_agent, model=first_model),
        Selection(run=second_run, agent=second_agent, model=second_model),
    )
    comparison = cached("compared", sides, "", lambda: rollout_statistics.compare(*sides)).comparison
    return {**comparison.model_dump(mode="json"), "significant": comparison.significant}


@router.get("/replays/{int:trajectory_id}", summary="Replay a trajectory on a revision", auth=needs(Act.TRY))
def read_replay(
    request: HttpRequest,
    trajectory_id: int,
    revision: Annotated[int | None, Query()] = None,
    full: bool = False,
    offset: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, Query(ge=1, le=drift.MOST_ON_PAGE)] = drift.PAGE,
) -> dict[str, Any]:
    """Every call that does not come to what is recorded, with what differs in it; `full=1` has every call
    with everything about it. `steps` and `begins_with` come in pages: ask again with `offset` set to
    `next_offset` until that is null."""
    trajectory = (
        TrajectoryRecord.objects.select_related("environment__current", "revision")
        .filter(pk=trajectory_id)
        .first()
    )
    if trajectory is None:
        raise Missing(f"There is no trajectory {trajectory_id}.")
    return drift.replay_on(trajectory=trajectory, number=revision).as_json(
        full=full, offset=offset, limit=limit
    )


@router.get("/{int:run_id}", response=RolloutFiguresOut, summary="Live figures of a batch of rollouts")
def read_figures(request: HttpRequest, run_id: int) -> dict[str, Any]:
    """Playing, played, labels, tokens, money, and what a second brings."""
    summary = rollout_summary.summarise(runs.find(run_id))
    return {
        **{name: getattr(summary, name) for name in RolloutFiguresOut.model_fields if name != "failures"},
        "failures": [{"title": title, "kind": kind, "count": n} for title, kind, n in summary.failures],
    }


@router.get("/{int:run_id}/labels", response=list[GroupOut], summary="Labels by environment or by task")
def read_labels(request: HttpRequest, run_id: int, environment: str = "") -> list[rollout_summary.Group]:
    """By environment; with one named, by its tasks."""
    return rollout_summary.groups(runs.find(run_id), environment=environment)


@router.post(
    "/{int:run_id}/go-on",
    response=RunOut,
    summary="Run the remaining episodes of a stopped batch",
    auth=needs(Act.SYNTHESISE),
)
def go_on(request: HttpRequest, run_id: int) -> Any:
    """Finished episodes stay."""
    person = caller(request)
    return rollout_batches.go_on(batch=runs.find(run_id), requested_by=person)
