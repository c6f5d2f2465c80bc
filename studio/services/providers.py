"""Providers: the model endpoint of the settings, with ledger, budget and recordings around it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet, Sum
from django.utils import timezone
from pydantic import SecretStr

from studio.models import LlmCall, LlmRecording, Run
from studio.models.runs import GOT_FURTHER
from studio.services.batch_budget import BatchBudget, limits_of
from studio.services.connections import let_go, steadily
from studio.services.endpoints import endpoint_of, gate_for
from studio.services.families import family_of
from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput
from synthesis.llm.budget import Budget, BudgetLimits
from synthesis.llm.limited import RateLimits
from synthesis.llm.metered import LedgerEntry
from synthesis.llm.openai_compatible import DEFAULT_BASE_URL
from synthesis.llm.provider import Provider
from synthesis.llm.recorded import Recording
from synthesis.llm.registry import ProviderSettings, make_provider

Spent = Callable[[], Usage]
"""What was spent, as of now."""


def provider_settings(
    *, model: str = "", asking: str = "", otherwise: str = "choose the procedural author"
) -> ProviderSettings:
    """The endpoint of the studio's settings.

    Args:
        model: The model to ask; WORLDWRIGHT_MODEL when empty.
        asking: Who wants to ask, for the text of a refusal: "Agent 'chat'".
        otherwise: What a person can do instead, for the same text.

    Raises:
        InvalidInput: No key or no model is set; the text names the variable.
    """
    env = settings.ENV
    model = model or env["WORLDWRIGHT_MODEL"] or ""
    missing = [
        name
        for name, value in (("OPENAI_API_KEY", env["OPENAI_API_KEY"]), ("WORLDWRIGHT_MODEL", model))
        if not value
    ]
    if missing:
        told = f"{asking} asks a model. " if asking else ""
        raise InvalidInput(
            f"{told}A model needs {' and '.join(missing)} in the environment of the studio and its workers; "
            f"set it, or {otherwise}."
        )
    return ProviderSettings(
        model=model,
        api_key=SecretStr(env["OPENAI_API_KEY"]),
        base_url=env["OPENAI_BASE_URL"] or DEFAULT_BASE_URL,
        timeout=env["WORLDWRIGHT_ENDPOINT_SECONDS"],
        limits=RateLimits(
            concurrency=env["WORLDWRIGHT_ENDPOINT_CONCURRENCY"],
            requests_per_minute=env["WORLDWRIGHT_ENDPOINT_REQUESTS"],
            tokens_per_minute=env["WORLDWRIGHT_ENDPOINT_TOKENS"],
        ),
    )


def provider_for(run: Run, *, model: str = "", stopped: Callable[[], bool] | None = None) -> Provider:
    """A provider whose calls are entered in the ledger under a run, within its budget, and asked only once.

    A run that goes on after its worker was lost finds its own answers again; a retry asks afresh.

    Args:
        run: Who asks, and pays.
        model: The model to ask; WORLDWRIGHT_MODEL when empty.
        stopped: Asked before each call that is really made; when it is so, `Cancelled` is raised instead.

    Raises:
        InvalidInput: No key or no model is set.
    """
    found = provider_settings(model=model)
    return make_provider(
        found,
        gate=gate_for(found),
        priority=run.priority,
        stopped=stopped,
        endpoint=endpoint_of(found),
        record=ledger(run),
        budget=budget_of(run),
        recordings=DatabaseRecordings(run),
        scope=f"run {run.pk}",
    )


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
        stage=entry.stage,
        attempt=entry.attempt,
        provider="openai_compatible",
        model=entry.model,
        input_tokens=entry.usage.input_tokens,
        cached_tokens=entry.usage.cached_tokens,
        output_tokens=entry.usage.output_tokens,
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
    env, owner = settings.ENV, threading.get_ident()
    limits = BudgetLimits(
        run_cost=env["WORLDWRIGHT_RUN_BUDGET"],
        run_tokens=env["WORLDWRIGHT_RUN_TOKENS"],
        month_cost=env["WORLDWRIGHT_MONTH_BUDGET"],
        month_tokens=env["WORLDWRIGHT_MONTH_TOKENS"],
    )
    own = LlmCall.objects.filter(run=run)
    last = own.values_list("pk", flat=True).first() or 0
    before = spent(own)

    def month() -> Usage:
        """What everybody spent this month but for what this worker entered for this run."""
        with _from_any_thread(owner):
            return spent(LlmCall.objects.filter(at__gte=month_start()).exclude(run=run, pk__gt=last))

    root = run if run.parent is None else run.parent
    if not (within := limits_of(root)):
        return Budget(limits, spent_in_run=lambda: before, spent_in_month=remembered(month))

    def family() -> Usage:
        """What the batch spent but for what this worker entered for this run."""
        with _from_any_thread(owner):
            return spent(LlmCall.objects.filter(run__in=family_of(root)).exclude(run=run, pk__gt=last))

    return BatchBudget(
        limits,
        within=within,
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
            Run.objects.filter(lost_before, pk=self._run.pk).update(**GOT_FURTHER)


@contextmanager
def _from_any_thread(owner: int) -> Iterator[None]:
    """Database work that leaves no connection behind: the next thing is often to wait for an endpoint."""
    try:
        yield
    finally:
        let_go()
        if threading.get_ident() != owner:
            connection.close()
