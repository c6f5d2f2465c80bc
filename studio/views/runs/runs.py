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
from studio.models import Act, AttemptRecord, Run, RunKind, RunState
from studio.presentation.lists import listed
from studio.services.environments.trade_words import trade_word
from studio.services.llm.spend import budget_pause
from studio.services.runs import runs as services
from studio.tables.runs import RunTable
from studio.templatetags.shell import shows_code
from studio.views.access import SignedInRequest, requires

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
        called={}
        if shows_code(request)
        else {"kind": lambda kind: trade_word(dict(RunKind.choices).get(kind, kind))},
    )
    return render(request, "runs/list.html", {**context, "section": "runs"})


@requires(Act.VIEW)
def run(request: HttpRequest, run_id: int) -> HttpResponse:
    """One run; a failed one opens at its first error. A batch has a page of its own."""
    result = services.find(run_id)
    if result.kind == RunKind.BATCH:
        return redirect("batch", result.pk)
    return render(request, "runs/run.html", {**_progress(result), "section": "runs"})


@requires(Act.VIEW)
def run_progress(request: HttpRequest, run_id: int) -> HttpResponse:
    """The part of the run's page that changes; it asks for itself again until the run is over."""
    return render(request, "runs/_progress.html", _progress(services.find(run_id)))


@requires(Act.VIEW)
def run_attempt(request: HttpRequest, run_id: int, attempt_id: int) -> HttpResponse:
    """One attempt: request, reply, findings, differences from the one before."""
    result = services.find(run_id)
    attempt = services.find_attempt(run_id=run_id, attempt_id=attempt_id)
    before = result.attempts.filter(stage=attempt.stage, pk__lt=attempt.pk).last()
    whole = request.GET.get("whole", "")
    context = {
        "run": result,
        "attempt": attempt,
        "before": before,
        "previous": result.attempts.filter(pk__lt=attempt.pk).defer("prompt", "reply", "reasoning").last(),
        "following": result.attempts.filter(pk__gt=attempt.pk).defer("prompt", "reply", "reasoning").first(),
        "difference": difference(before.reply, attempt.reply) if before else [],
        "prompt": _shown("prompt", attempt.prompt, whole),
        "reply": _shown("reply", attempt.reply, whole),
        "reasoning": _shown("reasoning", attempt.reasoning, whole),
        "calls": services.calls_of(attempt),
        "section": "runs",
    }
    return render(request, "runs/attempt.html", context)


@require_POST
@requires(Act.SYNTHESISE)
def run_cancel(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Ask a run to stop."""
    result = services.request_cancel(run=services.find(run_id))
    text = (
        "The run is cancelled."
        if result.is_over
        else "Cancellation requested; the run ends after its current step."
    )
    messages.info(request, text)
    return redirect(result)


@require_POST
@requires(Act.SYNTHESISE)
def run_retry(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Ask for the same again; what was finished is not made twice."""
    newer = services.retry(run=services.find(run_id), requested_by=request.user)
    messages.success(request, f"Run {run_id} is retried as run {newer.pk}.")
    return redirect(newer)


@require_POST
@requires(Act.SYNTHESISE)
def run_pause(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Hold a run back."""
    return _respond(
        request, services.pause, run_id, "The run is paused. It starts nothing more until it is resumed."
    )


@require_POST
@requires(Act.SYNTHESISE)
def run_resume(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Let a paused run go on."""
    return _respond(request, services.resume, run_id, "The run is resumed.")


@require_POST
@requires(Act.SYNTHESISE)
def run_priority(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Move a run before or behind others that wait."""
    result = services.find(run_id)
    form = PriorityForm(request.POST)
    if form.is_valid():
        services.set_priority(run=result, priority=form.cleaned_data["priority"])
        messages.success(request, f"Its priority is now {form.cleaned_data['priority']}.")
    else:
        messages.error(request, "The priority was not changed: give a whole number from -100 to 100.")
    return redirect(result)


@require_POST
@requires(Act.SYNTHESISE)
def run_retry_failed(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Try every failed run of a batch again; what was finished is not made twice."""
    result = services.find(run_id)
    results = services.retry_failed(batch=result, requested_by=request.user)
    messages.success(request, f"{len(results)} run{'s are' if len(results) > 1 else ' is'} retried.")
    return redirect(result)


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
    """A text diff as (kind, sign, line): "added", "removed", "same", or "hunk": where it goes on."""
    kinds = {"+": "added", "-": "removed", " ": "same"}
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=context)
    return [
        (kinds[line[0]], line[0], line[1:]) if line[0] in kinds else ("hunk", "", _place(line))
        for line in list(lines)[2:]
    ]


def _place(hunk: str) -> str:
    """Where a hunk begins in the newer text, in words."""
    first = hunk.partition("+")[2].partition(",")[0].partition(" ")[0]
    return f"from line {first}"


def _respond(request: HttpRequest, verb: Callable[..., Run], run_id: int, text: str) -> HttpResponse:
    result = verb(run=services.find(run_id))
    messages.info(request, text)
    return redirect(result)


def _progress(result: Run) -> dict[str, Any]:
    attempts = list(result.attempts.defer("prompt", "reply", "reasoning"))
    events = list(result.events.order_by("-id")[:MOST_EVENTS])[::-1]
    return {
        "run": result,
        "held": budget_pause(result) if result.paused_at and not result.is_over else None,
        "stages": _stages(result, attempts, events),
        "events": events,
        "spent": {
            "attempts": len(attempts),
            "tokens": sum(a.input_tokens + a.output_tokens for a in attempts),
            "cost": sum((a.cost for a in attempts if a.cost is not None), start=0) if attempts else None,
        },
        "retry": result.retries.first(),
        "children": result.children.all()[:50],
        "trajectories": result.trajectories.listed()[:50],
        "bundle": result.bundles.first(),
    }


def _stages(result: Run, attempts: list[AttemptRecord], events: list[Any]) -> list[dict[str, Any]]:
    """The stages in the order they began, each with its attempts, its last word and its state."""
    stages: dict[str, dict[str, Any]] = {}
    for event in events:
        if not event.stage:
            continue
        stage = stages.setdefault(
            event.stage, {"name": event.stage, "attempts": [], "standing": "active", "text": ""}
        )
        stage["text"] = event.text
        if event.kind in ("part_stored", "part_reused", "checks_done"):
            stage["standing"] = "done"
        elif event.kind in ("stage_failed", "failed"):
            stage["standing"] = "failed"
        elif event.kind in ("stage_started", "part_sent_back"):
            stage["standing"] = "active"
    for attempt in attempts:
        if attempt.stage in stages:
            stages[attempt.stage]["attempts"].append(attempt)
    for stage in stages.values():
        if result.is_over and stage["standing"] == "active":
            stage["standing"] = "done" if result.state == RunState.FINISHED else "stopped"
        stage["first_error"] = (
            next((a.pk for a in stage["attempts"] if not a.accepted), None)
            if stage["standing"] == "failed"
            else None
        )
    return list(stages.values())
