"""Batch summary: the funnel of stages, first attempts, corrections, spend, throughput, failures."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, Sum

from studio.models import Attempt, LlmCall, Run, RunEvent, RunState
from studio.services.batches import standing_children
from synthesis.pipeline.estimate import PUBLISHED_COST
from synthesis.pipeline.stages.registry import STAGES

PUBLISHED_FIRST_ATTEMPTS = {"schema": 0.883, "seed_data": 0.882, "tools": 0.868}
"""Share of first attempts that passed, as AWM reports it (arXiv 2602.10090)."""

PUBLISHED_CORRECTIONS = 1.13


@dataclass(frozen=True)
class StageSummary:
    """One stage over all environments of a batch.

    Attributes:
        stage: Its name.
        reached: Environments that began it.
        passed: Environments whose part was kept or used again.
        attempts: Attempts in all.
        first_attempts: Share of environments whose first attempt passed, 0-1; None before any.
        cost: US dollars spent on it; None where nothing is known.
        published_first_attempts: The same share as AWM reports it.
        published_cost: What AWM paid for so many environments.
    """

    stage: str
    reached: int
    passed: int
    attempts: int
    first_attempts: float | None
    cost: float | None
    published_first_attempts: float | None
    published_cost: float


@dataclass(frozen=True)
class BatchSummary:
    """A batch in figures.

    Attributes:
        states: Number of runs by state.
        stages: One row per stage, in order.
        corrections: Attempts after the first, per finished environment.
        causes: Failures by kind of error and stage, most frequent first: (kind, stage, count).
        per_hour: Environments finished per hour since the batch began; None before the first.
        cost: US dollars in all, as far as known.
        tokens: Input and output tokens in all.
    """

    states: dict[str, int]
    stages: tuple[StageSummary, ...]
    corrections: float | None
    causes: tuple[tuple[str, str, int], ...]
    per_hour: float | None
    cost: float
    tokens: int


def summarise(batch: Run) -> BatchSummary:
    """The figures of a batch as it stands; nine queries however large it is."""
    children = standing_children(batch)
    states = {state.value: 0 for state in RunState}
    states |= dict(children.order_by().values_list("state").annotate(count=Count("pk")))
    attempts = Attempt.objects.filter(run__in=children).order_by()
    spent = LlmCall.objects.filter(Q(run__in=children) | Q(run=batch)).order_by()
    total = spent.aggregate(cost=Sum("cost"), read=Sum("input_tokens"), written=Sum("output_tokens"))
    finished = states[RunState.FINISHED]
    later = attempts.filter(run__state=RunState.FINISHED, number__gt=1).count()
    seconds = batch.seconds
    return BatchSummary(
        states=states,
        stages=_stages(children, attempts, spent),
        corrections=later / finished if finished else None,
        causes=_causes(children),
        per_hour=finished / seconds * 3600 if finished and seconds else None,
        cost=float(total["cost"] or 0),
        tokens=(total["read"] or 0) + (total["written"] or 0),
    )


def _stages(
    children: QuerySet[Run], attempts: QuerySet[Attempt], spent: QuerySet[LlmCall]
) -> tuple[StageSummary, ...]:
    first = Count("pk", filter=Q(number=1))
    passed_first = Count("pk", filter=Q(number=1, accepted=True))
    counted = attempts.values_list("stage").annotate(all=Count("pk"), first=first, passed=passed_first)
    tried: dict[str, tuple[int, int, int]] = {stage: tuple(counts) for stage, *counts in counted}
    events = RunEvent.objects.filter(run__in=children).order_by()
    kept = dict(
        events.filter(kind__in=("part_kept", "part_reused"))
        .values_list("stage")
        .annotate(count=Count("run", distinct=True))
    )
    begun = dict(
        events.filter(kind__in=("stage_started", "part_reused"))
        .values_list("stage")
        .annotate(count=Count("run", distinct=True))
    )
    costs = dict(spent.values_list("stage").annotate(cost=Sum("cost")))
    return tuple(
        StageSummary(
            stage=stage,
            reached=begun.get(stage, 0),
            passed=kept.get(stage, 0),
            attempts=tried.get(stage, (0, 0, 0))[0],
            first_attempts=_share(tried.get(stage)),
            cost=None if costs.get(stage) is None else float(costs[stage]),
            published_first_attempts=PUBLISHED_FIRST_ATTEMPTS.get(stage),
            published_cost=PUBLISHED_COST.get(stage, 0.0) * begun.get(stage, 0),
        )
        for stage in STAGES
    )


def _share(counts: tuple[int, int, int] | None) -> float | None:
    """Passed first attempts of all first attempts."""
    return counts[2] / counts[1] if counts and counts[1] else None


def _causes(children: QuerySet[Run]) -> tuple[tuple[str, str, int], ...]:
    found = (
        children.filter(state=RunState.FAILED)
        .order_by()
        .values_list("error_type", "error_stage")
        .annotate(count=Count("pk"))
        .order_by("-count", "error_type")
    )
    return tuple((kind, stage, count) for kind, stage, count in found)
