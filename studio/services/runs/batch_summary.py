"""Batch summary: the funnel of stages, first attempts, corrections, spend, throughput, failures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Count, Min, Q, QuerySet, Sum

from studio.models import AttemptRecord, LlmCall, Run, RunEvent, RunState
from studio.services.runs.families import current_children, family_of
from synthesis.pipeline.stages.registry import STAGES

PUBLISHED_FIRST_ATTEMPTS = {"schema": 0.883, "seed_data": 0.882, "tools": 0.868}
"""Share of first attempts that passed, as AWM reports it (arXiv 2602.10090)."""

PUBLISHED_CORRECTIONS = 1.13

PUBLISHED_PER_HUNDRED = {
    "scenario": 0.43,
    "outlines": 0.56,
    "schema": 3.59,
    "seed_data": 13.75,
    "tool_specs": 23.74,
    "tools": 12.81,
    "verifiers": 2.21,
}
"""US dollars per 100 environments and stage with GPT-5, as AWM reports them (arXiv 2602.10090).

Its scenarios hold the expansion and the suitability, too. It has no policy and no reference solutions.
"""
PUBLISHED_PER_HUNDRED_IN_ALL = 57.09

EXPANSION = ("expansion", "suitability")
"""Names under which the ledger keeps the calls that a batch itself made."""


@dataclass(frozen=True)
class StageSummary:
    """One stage over all environments of a batch.

    Attributes:
        stage: Its name.
        reached: Environments that began it.
        passed: Environments whose part was kept or used again.
        attempts: Attempts in all.
        first_attempts: Share of environments whose first attempt passed and needed no other after it, also
            not after the proof of the whole, 0-1; None before any.
        calls: Calls to a model.
        tokens: Input and output tokens.
        prompt_tokens: Those of the prompts.
        cached_tokens: Those of the prompts that the endpoint had cached.
        reply_tokens: Those of the replies, reasoning included.
        cost: US dollars spent on it; None where nothing is known.
        cost_per_hundred: US dollars for each 100 environments that passed it; what failed is paid for, too.
        published_first_attempts: The same share as AWM reports it.
        published_per_hundred: What AWM paid per 100 environments; None where it has no such stage.
    """

    stage: str
    reached: int
    passed: int
    attempts: int
    first_attempts: float | None
    calls: int
    tokens: int
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    cost: float | None
    cost_per_hundred: float | None
    published_first_attempts: float | None
    published_per_hundred: float | None


@dataclass(frozen=True)
class Cause:
    """Runs that failed in the same way.

    Attributes:
        error: Kind of the error.
        stage: Where; empty when before the first stage.
        count: How many runs.
        example: What one of them said.
        run: That run's number.
    """

    error: str
    stage: str
    count: int
    example: str
    run: int


@dataclass(frozen=True)
class BatchSummary:
    """A batch in figures.

    Attributes:
        states: Number of runs by state.
        paused: Those of the queued that are held back.
        stages: One row per stage, in order.
        corrections: Attempts after the first, per finished environment.
        published_corrections: The same as AWM reports it.
        causes: Failures by kind of error and stage, most frequent first.
        per_hour: Environments finished per hour since the batch began; None before the first.
        calls_per_minute: Calls to a model per minute since the batch began; None before the first.
        calls: Calls to a model in all.
        tokens: Input and output tokens in all.
        cost: US dollars in all, as far as known; None where nothing is known.
        expansion_cost: The part of it that proposing and classifying scenarios took.
        cost_per_hundred: US dollars for each 100 finished environments; None where there is none or no price.
        published_per_hundred: The same as AWM reports it.
        seconds: Since the batch began, to its end.
    """

    states: dict[str, int]
    paused: int
    stages: tuple[StageSummary, ...]
    corrections: float | None
    causes: tuple[Cause, ...]
    per_hour: float | None
    calls_per_minute: float | None
    calls: int
    tokens: int
    cost: float | None
    expansion_cost: float | None
    cost_per_hundred: float | None
    seconds: float | None
    published_corrections: float = field(default=PUBLISHED_CORRECTIONS)
    published_per_hundred: float = field(default=PUBLISHED_PER_HUNDRED_IN_ALL)

    @property
    def total(self) -> int:
        """Runs in all."""
        return sum(self.states.values())

    @property
    def taken_stages(self) -> tuple[StageSummary, ...]:
        """The stages that some run reached; all before that."""
        return tuple(stage for stage in self.stages if stage.reached or stage.attempts) or self.stages


@dataclass(frozen=True)
class _Spent:
    """What one stage's calls came to."""

    calls: int = 0
    prompt: int = 0
    cached: int = 0
    reply: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """Of prompts and replies."""
        return self.prompt + self.reply


def summarise(batch: Run) -> BatchSummary:
    """The present figures of a batch; five queries however large it is.

    What a retried run spent counts, too; its state does not: the retry stands in its place.
    """
    states, paused, causes = _child_states(current_children(batch))
    tried, corrections = _tried(batch)
    spent = _spent(batch)
    finished, seconds = states[RunState.FINISHED], batch.seconds
    calls, cost = sum(each.calls for each in spent.values()), _cost(spent.values())
    return BatchSummary(
        states=states,
        paused=paused,
        stages=_stages(tried, _funnel(batch), spent),
        corrections=corrections / finished if finished else None,
        causes=causes,
        per_hour=finished / seconds * 3600 if finished and seconds else None,
        calls_per_minute=calls / seconds * 60 if calls and seconds else None,
        calls=calls,
        tokens=sum(each.tokens for each in spent.values()),
        cost=cost,
        expansion_cost=_cost(each for stage, each in spent.items() if stage in EXPANSION),
        cost_per_hundred=None if cost is None or not finished else cost / finished * 100,
        seconds=seconds,
    )


def _child_states(children: QuerySet[Run]) -> tuple[dict[str, int], int, tuple[Cause, ...]]:
    """Runs by state, how many are held back, and the failures by cause."""
    states = {state.value: 0 for state in RunState}
    paused, causes = 0, []
    rows = (
        children.order_by()
        .values_list("state", "error_type", "error_stage")
        .annotate(
            count=Count("pk"),
            held=Count("pk", filter=Q(paused_at__isnull=False)),
            example=Min("error"),
            run=Min("pk"),
        )
    )
    for state, error, stage, count, held, example, run in rows:
        states[state] += count
        if state == RunState.QUEUED:
            paused += held
        if state == RunState.FAILED:
            causes.append(Cause(error, stage, count, example, run))
    return states, paused, tuple(sorted(causes, key=lambda cause: (-cause.count, cause.error, cause.stage)))


def _tried(batch: Run) -> tuple[dict[str, tuple[int, int, int]], int]:
    """Per stage attempts, first attempts and those of them that were kept; and the corrections in all.

    A part that the proof sent back begins again at attempt 1, and so does a retry: only the earliest
    attempt of an environment at a stage is its first, and one that another followed was not kept.
    """
    attempts = AttemptRecord.objects.filter(run__parent=batch).order_by()
    first = attempts.filter(run__retry_of__isnull=True).values("run", "stage").annotate(first=Min("pk"))
    alone = first.annotate(attempts=Count("pk")).filter(attempts=1)
    counted = attempts.values_list("stage").annotate(
        all=Count("pk"),
        first=Count("pk", filter=Q(pk__in=first.values("first"))),
        passed=Count("pk", filter=Q(pk__in=alone.values("first"), accepted=True)),
        finished=Count("pk", filter=Q(run__state=RunState.FINISHED)),
        environments=Count("run", distinct=True, filter=Q(run__state=RunState.FINISHED)),
    )
    tried, corrections = {}, 0
    for stage, result, began, passed, finished, environments in counted:
        tried[stage] = (result, began, passed)
        corrections += finished - environments
    return tried, corrections


def _funnel(batch: Run) -> dict[str, tuple[int, int]]:
    """Per stage how many environments began it and how many passed it."""
    children = current_children(batch)
    remaining = ("part_stored", "part_reused")
    return {
        stage: (begun, passed)
        for stage, begun, passed in RunEvent.objects.filter(
            run__in=children, kind__in=("stage_started", *remaining)
        )
        .order_by()
        .values_list("stage")
        .annotate(
            begun=Count("run", distinct=True),
            passed=Count("run", distinct=True, filter=Q(kind__in=remaining)),
        )
    }


def _spent(batch: Run) -> dict[str, _Spent]:
    """Per stage the totals of its calls; those of the batch itself are under their own names."""
    rows = (
        LlmCall.objects.filter(run__in=family_of(batch))
        .order_by()
        .values_list("stage")
        .annotate(
            calls=Count("pk"),
            cost=Sum("cost"),
            read=Sum("input_tokens"),
            cached=Sum("cached_tokens"),
            written=Sum("output_tokens"),
        )
    )
    return {
        stage: _Spent(calls, read or 0, cached or 0, written or 0, None if cost is None else float(cost))
        for stage, calls, cost, read, cached, written in rows
    }


def _stages(
    tried: dict[str, tuple[int, int, int]], funnel: dict[str, tuple[int, int]], spent: dict[str, _Spent]
) -> tuple[StageSummary, ...]:
    stage_summaries = []
    for stage in STAGES:
        count, began, passed_first = tried.get(stage, (0, 0, 0))
        reached, passed = funnel.get(stage, (0, 0))
        used = spent.get(stage, _Spent())
        stage_summaries.append(
            StageSummary(
                stage=stage,
                reached=reached,
                passed=passed,
                attempts=count,
                first_attempts=passed_first / began if began else None,
                calls=used.calls,
                tokens=used.tokens,
                prompt_tokens=used.prompt,
                cached_tokens=used.cached,
                reply_tokens=used.reply,
                cost=used.cost,
                cost_per_hundred=used.cost / passed * 100 if passed and used.cost is not None else None,
                published_first_attempts=PUBLISHED_FIRST_ATTEMPTS.get(stage),
                published_per_hundred=PUBLISHED_PER_HUNDRED.get(stage),
            )
        )
    return tuple(stage_summaries)


def _cost(spent: Iterable[_Spent]) -> float | None:
    known = [each.cost for each in spent if each.cost is not None]
    return sum(known) if known else None
