"""Providers: the model endpoint of the settings, with ledger, budget and recordings around it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from studio.models import LlmCall, LlmRecording, Run
from studio.models.runs import AFTER_PROGRESS
from studio.services.llm.batch_budget import BatchBudget, limits_of, project_limits, require_price
from studio.services.llm.endpoint_keys import keys_for, keys_of
from studio.services.llm.pool import Role, pool, split_models
from studio.services.llm.prices import prices
from studio.services.runs.connections import let_go, steadily
from studio.services.runs.families import family_of
from synthesis.documents.trajectory import Usage
from synthesis.llm.budget import Budget, BudgetLimits
from synthesis.llm.endpoints import endpoint_of, gate_for
from synthesis.llm.fallback import BEFORE_THE_NEXT, Fallback
from synthesis.llm.metered import LedgerEntry
from synthesis.llm.provider import Provider
from synthesis.llm.recorded import Recording
from synthesis.llm.registry import ProviderSettings, make_provider

Spent = Callable[[], Usage]
"""What was spent, as of now."""


def provider_settings(
    *,
    model: str = "",
    role: Role = "author",
    project_id: int | None = None,
    asking: str = "",
    otherwise: str = "choose the procedural author",
) -> ProviderSettings:
    """The first endpoint that is asked in a role.

    Args:
        model: The models to ask, separated by commas; those of the settings when empty.
        role: What a model is asked as.
        project_id: Whose keys come before those of the settings; of the project to which what is made now
            belongs when None.
        asking: Who wants to ask, for the text of a refusal: "Agent 'chat'".
        otherwise: What a person can do instead, for the same text.

    Raises:
        InvalidInput: No key or no model is set; the text names the variable.
    """
    keys = keys_for(project_id)
    return pool(role, split_models(model), keys=keys, asking=asking, otherwise=otherwise)[0]


def provider_for(
    run: Run,
    *,
    role: Role = "author",
    models: Sequence[str] = (),
    stopped: Callable[[], bool] | None = None,
) -> Provider:
    """A provider whose calls are entered in the ledger under a run, within its budget, and asked only once.

    A run that goes on after its worker was lost finds its own answers again; a retry asks afresh.

    Args:
        run: Who asks, and pays.
        role: What a model is asked as.
        models: The models to ask, instead of those of the settings.
        stopped: Asked before each call that is really made; when it is so, `Cancelled` is raised instead.

    Raises:
        InvalidInput: No key or no model is set.
    """
    chosen = pool(role, models, keys=keys_of(run.project_id))
    if "cost" in project_limits(run.project):
        require_price(*(each.model for each in chosen))
    budget = budget_of(run)
    providers = [
        make_provider(
            each,
            gate=gate_for(each),
            priority=run.priority,
            stopped=stopped,
            endpoint=endpoint_of(each),
            record=ledger(run),
            budget=budget,
            prices=prices(),
            recordings=DatabaseRecordings(run),
            scope=f"run {run.pk}",
            retry=BEFORE_THE_NEXT if place < len(chosen) else None,
        )
        for place, each in enumerate(chosen, start=1)
    ]
    return providers[0] if len(providers) == 1 else Fallback(providers)


def ledger(run: Run) -> Callable[[LedgerEntry], None]:
    """Enters calls under a run; safe to call from any thread."""
    owner = threading.get_ident()

    def record(entry: LedgerEntry) -> None:
        call = ledger_row(run, entry)
        with _from_any_thread(owner):
            steadily(call.save)

    return record


def ledger_row(run: Run, entry: LedgerEntry) -> LlmCall:
    """A call as the ledger keeps it, not saved yet."""
    return LlmCall(
        run=run,
        project_id=run.project_id,
        stage=entry.stage,
        attempt=entry.attempt,
        provider="openai_compatible",
        model=entry.model,
        input_tokens=entry.usage.input_tokens,
        cached_tokens=entry.usage.cached_tokens,
        output_tokens=entry.usage.output_tokens,
        reasoning_tokens=entry.usage.reasoning_tokens,
        cost=entry.usage.cost,
        seconds=entry.seconds,
        outcome=entry.outcome,
        error=entry.error,
    )


def asked_each_time(spent_elsewhere: Spent) -> Spent:
    """A look at the ledger that is taken before each call."""
    return spent_elsewhere


def budget_of(run: Run, *, remembered: Callable[[Spent], Spent] = asked_each_time) -> Budget:
    """What a run may still spend, by the settings' limits and what the ledger says was spent before.

    Args:
        run: Who spends.
        remembered: Makes of a look at the ledger one that is cheaper or may be taken in any thread.
    """
    variables, owner = settings.WORLDWRIGHT, threading.get_ident()
    limits = BudgetLimits(
        run_cost=variables.run_budget,
        run_tokens=variables.run_tokens,
        month_cost=variables.month_budget,
        month_tokens=variables.month_tokens,
    )
    own = LlmCall.objects.filter(run=run)
    last = own.values_list("pk", flat=True).first() or 0
    before = spent(own)

    def month() -> Usage:
        """What everybody spent this month but for what this worker entered for this run."""
        with _from_any_thread(owner):
            return spent(LlmCall.all_projects.filter(at__gte=month_start()).exclude(run=run, pk__gt=last))

    root = run if run.parent is None else run.parent
    within, project = limits_of(root), project_limits(run.project)
    if not (within or project):
        return Budget(limits, spent_in_run=lambda: before, spent_in_month=remembered(month))

    def family() -> Usage:
        """What the batch spent but for what this worker entered for this run."""
        with _from_any_thread(owner):
            return spent(LlmCall.objects.filter(run__in=family_of(root)).exclude(run=run, pk__gt=last))

    def whole_project() -> Usage:
        """What the project spent this month but for what this worker entered for this run."""
        with _from_any_thread(owner):
            calls = LlmCall.all_projects.filter(project=run.project_id, at__gte=month_start())
            return spent(calls.exclude(run=run, pk__gt=last))

    return BatchBudget(
        limits,
        within=within,
        project=project,
        spent_in_project=remembered(whole_project),
        spent_in_run=lambda: before,
        spent_in_month=remembered(month),
        spent_in_batch=remembered(family),
    )


def spent(calls: QuerySet[LlmCall]) -> Usage:
    """The sum of some calls."""
    total = calls.order_by().aggregate(
        input=Sum("input_tokens"), cached=Sum("cached_tokens"), output=Sum("output_tokens"), cost=Sum("cost")
    )
    return Usage(
        input_tokens=total["input"] or 0,
        cached_tokens=total["cached"] or 0,
        output_tokens=total["output"] or 0,
        cost=None if total["cost"] is None else float(total["cost"]),
    )


def month_start() -> datetime:
    """The first moment of the current calendar month."""
    return timezone.now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)


class DatabaseRecordings:
    """Answers by question, in the database, so that any worker finds them.

    Args:
        run: The run that pays for new ones.
    """

    def __init__(self, run: Run) -> None:
        self._run, self._owner = run, threading.get_ident()

    def find(self, key: str) -> Recording | None:
        """The recording under a key, or None."""
        with _from_any_thread(self._owner):
            record = steadily(LlmRecording.objects.filter(key=key).first)
            return None if record is None else Recording.model_validate_json(record.document)

    def keep(self, key: str, recording: Recording) -> None:
        """Keep a recording under a key; the first one stays. A run that gets an answer gets further."""
        values = {"document": recording.model_dump_json(), "run": self._run}
        with _from_any_thread(self._owner):
            steadily(lambda: LlmRecording.objects.get_or_create(key=key, defaults=values))
            lost_before = Q(claims__gt=1) | Q(losses__gt=0)
            Run.objects.filter(lost_before, pk=self._run.pk).update(**AFTER_PROGRESS)


@contextmanager
def _from_any_thread(owner: int) -> Iterator[None]:
    """Database work that leaves no connection behind: the next thing is often to wait for an endpoint."""
    try:
        yield
    finally:
        let_go()
        if threading.get_ident() != owner:
            connection.close()
