"""Runs: the list, one run with its live progress, its attempts, stopping and retrying."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from studio.filters.runs import FACETS, RunFilter
from studio.forms.batches import PriorityForm
from studio.models import Act, Attempt, Run, RunKind, RunState
from studio.services import runs as services
from studio.services.spend import held_by_budget
from studio.tables.runs import RunTable
from studio.views.access import SignedInRequest, requires
from studio.views.lists import listed

MOST_EVENTS = 200
LONGEST_SHOWN = 20_000
"""Characters of a prompt or a reply; the rest is one link away."""


@requires(Act.VIEW)
def runs(request: HttpRequest) -> HttpResponse:
    """Every run, newest first."""
    context = listed(
        request,
        queryset=Run.objects.listed().top_level(),
        filterset=RunFilter,
        table=RunTable,
        names=FACETS,
    )
    return render(request, "runs/list.html", {**context, "section": "runs"})


@requires(Act.VIEW)
def run(request: HttpRequest, run_id: int) -> HttpResponse:
    """One run; a failed one opens at its first error. A batch has a page of its own."""
    found = services.find(run_id)
    if found.kind == RunKind.BATCH:
        return redirect("batch", found.pk)
    return render(request, "runs/run.html", {**_progress(found), "section": "runs"})


@requires(Act.VIEW)
def run_progress(request: HttpRequest, run_id: int) -> HttpResponse:
    """The part of the run's page that changes; it asks for itself again until the run is over."""
    return render(request, "runs/_progress.html", _progress(services.find(run_id)))


@requires(Act.VIEW)
def run_attempt(request: HttpRequest, run_id: int, attempt_id: int) -> HttpResponse:
    """One attempt: what was asked, what came back, what was wrong, how it differs from the one before."""
    found = services.find(run_id)
    attempt = services.find_attempt(run_id=run_id, attempt_id=attempt_id)
    before = found.attempts.filter(stage=attempt.stage, pk__lt=attempt.pk).last()
    whole = request.GET.get("whole", "")
    context = {
        "run": found,
        "attempt": attempt,
        "before": before,
        "previous": found.attempts.filter(pk__lt=attempt.pk).defer("prompt", "reply").last(),
        "following": found.attempts.filter(pk__gt=attempt.pk).defer("prompt", "reply").first(),
        "difference": difference(before.reply, attempt.reply) if before else [],
        "prompt": _shown("prompt", attempt.prompt, whole),
        "reply": _shown("reply", attempt.reply, whole),
        "calls": services.calls_of(attempt),
        "section": "runs",
    }
    return render(request, "runs/attempt.html", context)


@require_POST
@requires(Act.SYNTHESISE)
def run_cancel(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Ask a run to stop."""
    found = services.request_cancel(run=services.find(run_id))
    said = (
        "The run is cancelled."
        if found.is_over
        else "The run was asked to stop; it ends after its current step."
    )
    messages.info(request, said)
    return redirect(found)


@require_POST
@requires(Act.SYNTHESISE)
def run_retry(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Ask for the same again; what was finished is not made twice."""
    newer = services.retry(run=services.find(run_id), requested_by=request.user)
    messages.success(request, f"Run {run_id} is tried again as run {newer.pk}.")
    return redirect(newer)


@require_POST
@requires(Act.SYNTHESISE)
def run_pause(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Hold a run back."""
    return _told(request, services.pause, run_id, "Nothing more of this run begins until it is resumed.")


@require_POST
@requires(Act.SYNTHESISE)
def run_resume(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Let a paused run go on."""
    return _told(request, services.resume, run_id, "The run goes on.")


@require_POST
@requires(Act.SYNTHESISE)
def run_priority(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Move a run before or behind others that wait."""
    found = services.find(run_id)
    form = PriorityForm(request.POST)
    if form.is_valid():
        services.set_priority(run=found, priority=form.cleaned_data["priority"])
        messages.success(request, f"Its priority is {form.cleaned_data['priority']} now.")
    else:
        messages.error(request, "The priority was not changed: give a whole number from -100 to 100.")
    return redirect(found)


@require_POST
@requires(Act.SYNTHESISE)
def run_retry_failed(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Try every failed run of a batch again; what was finished is not made twice."""
    found = services.find(run_id)
    made = services.retry_failed(batch=found, requested_by=request.user)
    messages.success(request, f"{len(made)} run{'s are' if len(made) > 1 else ' is'} tried again.")
    return redirect(found)


def _shown(name: str, text: str, whole: str) -> dict[str, Any]:
    """A text that may be long: its beginning and end, or all of it when that was asked for."""
    cut = len(text) > LONGEST_SHOWN and whole not in (name, "all")
    half = LONGEST_SHOWN // 2
    return {
        "text": f"{text[:half]}\n…\n{text[-half:]}" if cut else text,
        "length": len(text),
        "cut": len(text) - 2 * half if cut else 0,
    }


def difference(before: str, after: str, *, context: int = 3) -> list[tuple[str, str, str]]:
    """A text diff as (kind, sign, line): "added", "removed", "same" or "hunk"."""
    kinds = {"+": "added", "-": "removed", "@": "hunk", " ": "same"}
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=context)
    return [(kinds[line[0]], "" if line[0] == "@" else line[0], line if line[0] == "@" else line[1:])
            for line in list(lines)[2:]]  # fmt: skip


def _told(request: HttpRequest, verb: Callable[..., Run], run_id: int, text: str) -> HttpResponse:
    found = verb(run=services.find(run_id))
    messages.info(request, text)
    return redirect(found)


def _progress(found: Run) -> dict[str, Any]:
    attempts = list(found.attempts.defer("prompt", "reply"))
    events = list(found.events.order_by("-id")[:MOST_EVENTS])[::-1]
    return {
        "run": found,
        "held": held_by_budget(found) if found.paused_at and not found.is_over else None,
        "stages": _stages(found, attempts, events),
        "events": events,
        "spent": {
            "attempts": len(attempts),
            "tokens": sum(a.input_tokens + a.output_tokens for a in attempts),
            "cost": sum((a.cost for a in attempts if a.cost is not None), start=0) if attempts else None,
        },
        "retry": found.retries.first(),
        "children": found.children.all()[:50],
        "trajectories": found.trajectories.all()[:50],
        "bundle": found.bundles.first(),
    }


def _stages(found: Run, attempts: list[Attempt], events: list[Any]) -> list[dict[str, Any]]:
    """The stages in the order they began, each with its attempts, its last word and how it stands."""
    stages: dict[str, dict[str, Any]] = {}
    for event in events:
        if not event.stage:
            continue
        stage = stages.setdefault(
            event.stage, {"name": event.stage, "attempts": [], "standing": "active", "text": ""}
        )
        stage["text"] = event.text
        if event.kind in ("part_kept", "part_reused", "checks_done"):
            stage["standing"] = "done"
        elif event.kind in ("stage_failed", "failed"):
            stage["standing"] = "failed"
        elif event.kind in ("stage_started", "part_sent_back"):
            stage["standing"] = "active"
    for attempt in attempts:
        if attempt.stage in stages:
            stages[attempt.stage]["attempts"].append(attempt)
    for stage in stages.values():
        if found.is_over and stage["standing"] == "active":
            stage["standing"] = "done" if found.state == RunState.FINISHED else "stopped"
        stage["first_error"] = (
            next((a.pk for a in stage["attempts"] if not a.accepted), None)
            if stage["standing"] == "failed"
            else None
        )
    return list(stages.values())
