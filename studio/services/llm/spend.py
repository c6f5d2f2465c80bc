"""Spend: what models cost by month, stage, model and run, against the limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from django.conf import settings
from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncMonth
from django.utils import timezone

from studio.models import LlmCall, Project, Run, RunEvent, RunState
from studio.services.llm.batch_budget import limits_of
from studio.services.llm.providers import month_start
from studio.services.runs.batch_summary import BatchSummary
from studio.services.runs.families import family_of
from synthesis.errors import InvalidInput

MOST_RUNS = 25
"""Runs listed by what they cost."""

BUDGET_SPENT = "budget_spent"
"""Kind of the event of a run that was held back because a budget was spent."""


@dataclass(frozen=True)
class SpendLimit:
    """One limit and how much of it is used.

    Attributes:
        span: "run", "batch" or "month".
        kind: "money" in US dollars, or "tokens", input plus output.
        spent: So far.
        most: Where it stops.
        setting: The variable that sets it; empty where the batch's own page does.
    """

    span: str
    kind: str
    spent: float
    most: float
    setting: str

    @property
    def reached(self) -> bool:
        """Whether nothing more is asked."""
        return self.spent >= self.most

    @property
    def percent(self) -> int:
        """Used, 0-100."""
        return 100 if self.reached else round(100 * self.spent / self.most) if self.most else 100


@dataclass(frozen=True)
class Share:
    """What went to one stage, model, run or month.

    Attributes:
        name: Which.
        calls: Calls to a model, the failed ones too.
        failed: Those that brought no answer.
        tokens: Input and output tokens.
        prompt: Those of the prompts.
        cached: Those of the prompts that the endpoint had cached.
        reply: Those of the replies, reasoning included.
        reasoning: Those of the replies that were reasoning, where endpoints say so.
        cost: US dollars; None where no price is known.
        run: The run, where it is one.
    """

    name: str
    calls: int
    failed: int
    tokens: int
    prompt: int
    cached: int
    reply: int
    reasoning: int
    cost: float | None
    run: Run | None = None


@dataclass(frozen=True)
class Spend:
    """One month.

    Attributes:
        month: Its first moment.
        total: All of it.
        limits: The month's limits; those of other months are not known any more.
        run_limits: What one run may spend: (kind, most, setting).
        stages: By stage, most expensive first.
        models: By model, most expensive first.
        runs: By run, a batch with all its runs as one, most expensive first; at most `MOST_RUNS`.
        months: Every month with calls, newest first.
    """

    month: datetime
    total: Share
    limits: tuple[SpendLimit, ...]
    run_limits: tuple[tuple[str, float, str], ...]
    stages: tuple[Share, ...]
    models: tuple[Share, ...]
    runs: tuple[Share, ...]
    months: tuple[tuple[datetime, Share], ...]

    @property
    def is_current(self) -> bool:
        """Whether the limits of the month hold for it."""
        return self.month == month_start()


@dataclass(frozen=True)
class BudgetPause:
    """Runs that a spent budget paused.

    Attributes:
        reached: The limits that are reached as of now; empty when they were raised meanwhile.
        message: The newest event of a paused run.
        held: Runs that wait to be resumed.
        in_flight: Runs that still work; their calls are finished and paid for.
        finished: Runs that are done and stay.
    """

    reached: tuple[SpendLimit, ...]
    message: str
    held: int
    in_flight: int
    finished: int


def project_share(project: Project) -> Share:
    """What a project spent this month."""
    calls = LlmCall.objects.filter(project=project, at__gte=month_start()).order_by()
    (share,) = _shares([{"name": "", **calls.aggregate(**_SUMS)}])
    return share


def spend(month: str = "") -> Spend:
    """What a month cost; seven queries.

    Args:
        month: As "2026-11"; the current one when empty.

    Raises:
        InvalidInput: It is no month.
    """
    start, end = _span(month)
    calls = LlmCall.objects.filter(at__gte=start, at__lt=end).order_by()
    months = LlmCall.objects.order_by().annotate(month=TruncMonth("at", tzinfo=UTC)).values("month")
    (total,) = _shares([{"name": "", **calls.aggregate(**_SUMS)}])
    current = start == month_start()
    return Spend(
        month=start,
        total=total,
        limits=_limits("month", total) if current else (),
        run_limits=tuple(_limit_settings("run")),
        stages=_by(calls, "stage"),
        models=_by(calls, "model"),
        runs=_by_run(calls),
        months=tuple(
            (row["month"], _shares([{"name": "", **row}])[0])
            for row in months.annotate(**_SUMS).order_by("-month")
        ),
    )


def budget_pause(run: Run, summary: BatchSummary | None = None) -> BudgetPause | None:
    """What a spent budget paused of a run or a batch, or None; four queries, one when it is nothing.

    Args:
        run: A batch, or a run without runs of its own.
        summary: The batch's figures, when it is one.
    """
    paused = Q(state=RunState.QUEUED, paused_at__isnull=False)
    events = RunEvent.objects.filter(run__in=family_of(run).filter(paused), kind=BUDGET_SPENT)
    last = events.order_by("-id").first()
    if last is None:
        return None
    states = summary.states if summary is not None else {}
    return BudgetPause(
        reached=_reached(run, last.run_id, summary),
        message=last.text,
        held=(summary.paused if summary is not None else 0) or 1,
        in_flight=states.get(RunState.RUNNING, 0),
        finished=states.get(RunState.FINISHED, 0),
    )


def batch_limits_used(batch: Run, *, cost: float | None, tokens: int) -> tuple[SpendLimit, ...]:
    """The batch's own limits beside what it spent."""
    within = limits_of(batch)
    wanted = (("money", cost or 0.0, within.get("cost")), ("tokens", float(tokens), within.get("tokens")))
    return tuple(
        SpendLimit("batch", kind, used, float(most), "") for kind, used, most in wanted if most is not None
    )


def _reached(run: Run, stopped: int, summary: BatchSummary | None) -> tuple[SpendLimit, ...]:
    """The limits that are reached now: the month's, the batch's, and those of the run that stopped last."""
    this_month = LlmCall.objects.filter(at__gte=month_start())
    (month,) = _shares([{"name": "", **this_month.order_by().aggregate(**_SUMS)}])
    (own,) = _shares([{"name": "", **LlmCall.objects.filter(run=stopped).order_by().aggregate(**_SUMS)}])
    batch = batch_limits_used(run, cost=summary.cost, tokens=summary.tokens) if summary else ()
    spend_limits = (
        *_limits("month", month),
        *_limits("run", own),
        *batch,
    )
    return tuple(limit for limit in spend_limits if limit.reached)


def _limits(span: Literal["run", "month"], used: Share) -> tuple[SpendLimit, ...]:
    spent = {"money": used.cost or 0.0, "tokens": float(used.tokens)}
    return tuple(
        SpendLimit(span, kind, spent[kind], most, name) for kind, most, name in _limit_settings(span)
    )


def _limit_settings(span: Literal["run", "month"]) -> Iterator[tuple[str, float, str]]:
    """Kind, limit and variable of the limits that are set."""
    variables = settings.WORLDWRIGHT
    limits = {
        "run": (variables.run_budget, variables.run_tokens),
        "month": (variables.month_budget, variables.month_tokens),
    }
    for kind, word, most in zip(("money", "tokens"), ("BUDGET", "TOKENS"), limits[span], strict=True):
        if most is not None:
            yield kind, float(most), f"WORLDWRIGHT_{span.upper()}_{word}"


_SUMS: dict[str, Any] = {
    "calls": Count("pk"),
    "failed": Count("pk", filter=Q(outcome__in=("unreachable", "refused", "overloaded", "failed"))),
    "read": Sum("input_tokens"),
    "written": Sum("output_tokens"),
    "cached": Sum("cached_tokens"),
    "reasoned": Sum("reasoning_tokens"),
    "cost": Sum("cost"),
}


def _by(calls: QuerySet[LlmCall], field: str) -> tuple[Share, ...]:
    rows = calls.values(field).annotate(**_SUMS)
    return _shares([{"name": row[field] or "(without a stage)", **row} for row in rows])


def _by_run(calls: QuerySet[LlmCall]) -> tuple[Share, ...]:
    """A batch counts with all its runs; calls whose run was deleted are one row."""
    summed: QuerySet[Any, Any] = calls.annotate(root=Coalesce("run__parent", "run")).values("root")
    costliest = (F("cost").desc(nulls_last=True), F("read").desc(nulls_last=True), "root")
    rows = summed.annotate(**_SUMS).order_by(*costliest)[:MOST_RUNS]
    results = Run.objects.in_bulk([row["root"] for row in rows if row["root"] is not None])
    return _shares(
        [
            {
                "name": results[row["root"]].title if row["root"] in results else "(runs that were deleted)",
                "run": results.get(row["root"]),
                **row,
            }
            for row in rows
        ]
    )


def _shares(rows: Iterable[dict[str, Any]]) -> tuple[Share, ...]:
    """Rows of sums as shares, most expensive first."""
    shares: Sequence[Share] = [
        Share(
            name=row["name"],
            calls=row["calls"],
            failed=row["failed"],
            tokens=(row["read"] or 0) + (row["written"] or 0),
            prompt=row["read"] or 0,
            cached=row["cached"] or 0,
            reply=row["written"] or 0,
            reasoning=row["reasoned"] or 0,
            cost=None if row["cost"] is None else float(row["cost"]),
            run=row.get("run"),
        )
        for row in rows
    ]
    return tuple(sorted(shares, key=lambda share: (-(share.cost or 0.0), -share.tokens, share.name)))


def _span(month: str) -> tuple[datetime, datetime]:
    if not month:
        start = month_start()
    else:
        try:
            start = datetime.strptime(month, "%Y-%m").replace(tzinfo=timezone.now().tzinfo)
        except ValueError:
            raise InvalidInput(f"{month[:40]!r} is not a month. Write it as 2026-11.") from None
    year, following = divmod(start.year * 12 + start.month, 12)
    if not 1 <= year <= 9_998:
        raise InvalidInput(f"{month[:40]!r} is not a month. Write it as 2026-11.")
    return start, start.replace(year=year, month=following + 1)
