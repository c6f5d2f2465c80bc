"""Families: a batch ends when the last of its children has ended."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from studio.models import Run, RunEvent, RunState


def settle_batch(batch_id: int | None) -> None:
    """Bring a batch up to date with its children; called within the transaction in which one of them ended.

    A child that was retried counts for nothing: its retry stands in its place.
    """
    if batch_id is None:
        return
    batch = Run.objects.select_for_update().get(pk=batch_id)
    children = current_children(batch)
    states = Counter(children.values_list("state", flat=True))
    done = sum(count for state, count in states.items() if RunState(state).terminal)
    changes: dict[str, Any] = {"done": done}
    if batch.state == RunState.RUNNING and not batch.claim and done == batch.total:
        changes |= _end(batch, states)
    Run.objects.filter(pk=batch.pk).update(**changes)


def current_children(batch: Run) -> QuerySet[Run]:
    """The children that count: a retried one is replaced by its retry."""
    return batch.children.filter(retries__isnull=True)


def family_of(batch: Run) -> QuerySet[Run]:
    """The run and all its children, also those that were retried."""
    return Run.objects.filter(Q(pk=batch.pk) | Q(parent=batch)).order_by()


def reopen(batch_id: int | None) -> None:
    """Let a batch go on because one of its children is retried."""
    if batch_id is not None:
        Run.objects.filter(
            pk=batch_id, state__in=(RunState.FINISHED, RunState.FAILED, RunState.CANCELLED)
        ).update(state=RunState.RUNNING, finished_at=None, error="", error_type="", cancel_requested_at=None)


def _end(batch: Run, states: Counter[str]) -> dict[str, Any]:
    finished, failed = states[RunState.FINISHED], states[RunState.FAILED]
    text = f"{finished} finished, {failed} failed, {states[RunState.CANCELLED]} cancelled."
    state, error = RunState.FINISHED, {}
    if batch.cancel_requested_at is not None:
        state = RunState.CANCELLED
    elif batch.total and not finished:
        state, error = RunState.FAILED, {"error": "None of its runs finished.", "error_type": "AllFailed"}
    RunEvent.objects.create(run=batch, kind=state.value, text=text)
    return {
        "state": state,
        "finished_at": timezone.now(),
        "result": {
            name.value: states[name] for name in (RunState.FINISHED, RunState.FAILED, RunState.CANCELLED)
        },
        **error,
    }
