"""Rollout summary: a batch of rollouts at present: running episodes, outcomes, cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from studio.models import LlmCall, Run, RunState, TrajectoryRecord
from studio.services.runs.families import current_children, family_of
from synthesis.documents.verdict import LABEL_TITLES
from synthesis.rollouts.failures import FAILURE_TITLES

RATE_WINDOW = timedelta(seconds=60)
"""What rates are told of."""


@dataclass(frozen=True)
class Group:
    """The labels of one environment's or one task's episodes."""

    environment: str
    title: str
    task: str
    labels: dict[str, int]
    """Label to episodes, every label there is, in their usual order."""

    @property
    def played(self) -> int:
        """Episodes in all."""
        return sum(self.labels.values())

    @property
    def share(self) -> float | None:
        """Completed of those that say something about the agent, 0-1."""
        silent = self.labels["environment_error"] + self.labels["unscored"]
        measured = self.played - silent
        return self.labels["completed"] / measured if measured else None


@dataclass(frozen=True)
class RolloutSummary:
    """A run of rollouts, or a batch of them, in figures.

    Attributes:
        states: Number of its parts by state.
        paused: Those of the queued that are held back.
        episodes: Episodes wanted.
        done: Episodes played.
        running: Episodes being played.
        labels: Episodes by label.
        failures: Failed episodes by kind, most frequent first: (title, kind, count).
        causes: Parts that failed, by kind of error: (error, count, example, number of that run).
        calls: Calls of tools.
        model_calls: Calls of a model.
        tokens: Input and output tokens.
        cost: US dollars, as far as known.
        episodes_per_s: Over the last minute, or None when nothing was played in it.
        calls_per_s: Calls of tools over the last minute.
        model_calls_per_s: Over the last minute.
    """

    states: dict[str, int]
    paused: int
    episodes: int
    done: int
    running: int
    labels: dict[str, int]
    failures: tuple[tuple[str, str, int], ...]
    causes: tuple[tuple[str, int, str, int], ...]
    calls: int
    model_calls: int
    tokens: int
    cost: float
    episodes_per_s: float | None
    calls_per_s: float | None
    model_calls_per_s: float | None

    @property
    def waiting(self) -> int:
        """Episodes nobody has begun."""
        return max(0, self.episodes - self.done - self.running)


def summarise(run: Run) -> RolloutSummary:
    """The present figures of a run or a batch of rollouts; eight queries however large it is."""
    parts = (
        current_children(run)
        if run.parent_id is None and run.children.exists()
        else Run.objects.filter(pk=run.pk)
    )
    states = dict(parts.order_by().values_list("state").annotate(count=Count("pk")))
    size = parts.order_by().aggregate(
        total=Sum("total"),
        done=Sum("done"),
        paused=Count("pk", filter=Q(state=RunState.QUEUED, paused_at__isnull=False)),
    )
    playing = parts.order_by().filter(state=RunState.RUNNING).values_list("live", flat=True)
    trajectories = trajectories_of(run)
    sums = trajectories.aggregate(calls=Sum("step_count"))
    spent = LlmCall.objects.filter(run__in=family_of(run)).order_by()
    paid = spent.aggregate(
        calls=Count("pk"), read=Sum("input_tokens"), written=Sum("output_tokens"), cost=Sum("cost")
    )
    recent, seconds = _recent(run, trajectories, spent)
    return RolloutSummary(
        states=states,
        paused=size["paused"],
        episodes=run.request.get("episodes") or size["total"] or 0,
        done=size["done"] or 0,
        running=sum(live.get("running", 0) for live in playing),
        labels=_labels(trajectories.values_list("label").annotate(count=Count("pk"))),
        failures=_failures(trajectories),
        causes=_causes(parts),
        calls=sums["calls"] or 0,
        model_calls=paid["calls"],
        tokens=(paid["read"] or 0) + (paid["written"] or 0),
        cost=float(paid["cost"] or 0),
        episodes_per_s=recent["episodes"] / seconds if recent["episodes"] else None,
        calls_per_s=recent["calls"] / seconds if recent["calls"] else None,
        model_calls_per_s=recent["asked"] / seconds if recent["asked"] else None,
    )


def trajectories_of(run: Run) -> QuerySet[TrajectoryRecord]:
    """What was played in a run and its parts, without what failed at the endpoint and was played again."""
    infrastructure = Q(stop_reason="infrastructure_error", run__retries__isnull=False)
    return TrajectoryRecord.objects.filter(run__in=family_of(run)).exclude(infrastructure).order_by()


def verdicts_by_agent(run: Run) -> dict[str, dict[str, int]]:
    """How many episodes of a run or a batch came to which label, by agent."""
    results: dict[str, dict[str, int]] = {}
    counted = trajectories_of(run).values_list("agent", "label").annotate(count=Count("pk"))
    for agent, label, count in counted:
        results.setdefault(agent, {})[label] = count
    return results


def why_unscored(run: Run) -> list[tuple[str, int]]:
    """What kept episodes of a run or a batch from a verdict, with how many, the most frequent first."""
    silent = trajectories_of(run).filter(label="unscored").exclude(error="").order_by()
    counted = silent.values_list("error").annotate(count=Count("pk"))
    return sorted(counted, key=lambda each: (-each[1], each[0]))


def groups(run: Run, *, environment: str = "") -> list[Group]:
    """The labels by environment, or by task within one environment, by name.

    Args:
        run: A run or a batch of rollouts.
        environment: Name of the environment whose tasks are wanted.
    """
    trajectories = trajectories_of(run)
    fields = ["environment__name", "environment__title"]
    if environment:
        trajectories, fields = trajectories.filter(environment__name=environment), [*fields, "task_id"]
    results: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for *place, label, count in trajectories.values_list(*fields, "label").annotate(count=Count("pk")):
        results.setdefault(tuple(place), []).append((label, count))
    return [
        Group(place[0], place[1], place[2] if environment else "", _labels(counts))
        for place, counts in sorted(results.items())
    ]


def _labels(counted: QuerySet[TrajectoryRecord, tuple[str, int]] | list[tuple[str, int]]) -> dict[str, int]:
    return {**dict.fromkeys(LABEL_TITLES, 0), **dict(counted)}


def _failures(trajectories: QuerySet[TrajectoryRecord]) -> tuple[tuple[str, str, int], ...]:
    counted: dict[str, int] = dict(
        trajectories.exclude(failure="").values_list("failure").annotate(count=Count("pk"))
    )
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple((FAILURE_TITLES.get(kind, kind), kind, count) for kind, count in ordered)


def _causes(parts: QuerySet[Run]) -> tuple[tuple[str, int, str, int], ...]:
    failed = parts.order_by("pk").filter(state=RunState.FAILED).values_list("error_type", "error", "pk")
    results: dict[str, list[tuple[str, int]]] = {}
    for kind, error, number in failed:
        results.setdefault(kind, []).append((error or "", number))
    ordered = sorted(results.items(), key=lambda item: -len(item[1]))
    return tuple((kind, len(members), members[0][0], members[0][1]) for kind, members in ordered)


def _recent(
    run: Run, trajectories: QuerySet[TrajectoryRecord], spent: QuerySet[LlmCall]
) -> tuple[dict[str, int], float]:
    """What happened in the last minute of the run, and how many seconds of it there are."""
    if run.is_over or run.started_at is None:
        return {"episodes": 0, "calls": 0, "asked": 0}, 1.0
    since = max(timezone.now() - RATE_WINDOW, run.started_at)
    recent = trajectories.filter(created_at__gte=since).aggregate(
        episodes=Count("pk"), calls=Sum("step_count")
    )
    asked = spent.filter(at__gte=since).count()
    seconds = max(1.0, (timezone.now() - since).total_seconds())
    return {"episodes": recent["episodes"], "calls": recent["calls"] or 0, "asked": asked}, seconds
