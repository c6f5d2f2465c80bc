"""Batches of environments: asking for one with its price before, its funnel while it runs, its candidates."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from studio.forms.batches import BatchForm, BudgetForm
from studio.models import Act, CandidateDecision, Run, RunState, ScenarioCandidate
from studio.presentation.downloads import csv_response
from studio.services.llm.batch_budget import limits_of
from studio.services.llm.spend import batch_limits_used, budget_pause
from studio.services.runs.batch_summary import BatchSummary, summarise
from studio.services.synthesis import batch_estimate, batch_reading, batches
from studio.services.synthesis.batch_reading import CandidateCounts
from studio.views.access import SignedInRequest, requires
from synthesis.errors import WorldwrightError

PER_PAGE = 25
SEEDS_SHOWN = 50
MOST_EVENTS = 50
EXPORTED = (
    "position", "round", "name", "category", "decision", "reason", "nearest", "similarity", "method",
    "score", "level", "can", "cannot", "seed", "run", "description",
)  # fmt: skip
"""Columns of the candidates as a file."""


@requires(Act.VIEW)
def batch(request: HttpRequest, batch_id: int) -> HttpResponse:
    """One batch: funnel, spend, failures by cause, runs."""
    run = batch_reading.find_batch(batch_id)
    seeds = run.request["seeds"]
    context = {
        **_progress(request, run),
        "first_seeds": seeds[:SEEDS_SHOWN],
        "budget_form": BudgetForm(initial=limits_of(run)),
        "section": "runs",
    }
    return render(request, "batches/batch.html", context)


@requires(Act.VIEW)
def batch_progress(request: HttpRequest, batch_id: int) -> HttpResponse:
    """The part of the batch's page that changes; it asks for itself again until the batch is over."""
    context = _progress(request, batch_reading.find_batch(batch_id))
    return render(request, "batches/_progress.html", context)


@requires(Act.VIEW)
def batch_candidates(request: HttpRequest, batch_id: int) -> HttpResponse:
    """Every scenario that was proposed, and why it was kept or rejected."""
    run = batch_reading.find_batch(batch_id)
    decision, words = request.GET.get("decision", ""), request.GET.get("q", "")
    near = request.GET.get("near", "")
    listed = batch_reading.candidates_of(
        run, decision=decision, words=words, near=int(near) if near.isdecimal() and len(near) < 10 else None
    )
    if request.GET.get("format") == "csv":
        return csv_response(f"batch_{run.pk}_candidates", EXPORTED, map(_exported, listed.iterator(500)))
    counts = batch_reading.count_candidates(run)
    context = {
        "run": run,
        "candidates": Paginator(listed, PER_PAGE).get_page(request.GET.get("page")),
        "choices": _decisions(counts, request.GET, decision),
        "counts": counts,
        "stalled": batch_reading.stall_of(run.events.order_by("-id")),
        "words": words,
        "near": near,
        "decision": decision,
        "query": request.GET.urlencode(),
        "section": "runs",
    }
    return render(request, "batches/candidates.html", context)


@requires(Act.SYNTHESISE)
def batch_new(request: SignedInRequest) -> HttpResponse:
    """Ask for many environments: first what they will need, then the batch."""
    form = BatchForm(request.POST or None, request.FILES or None)
    estimate = left_out = None
    if request.method == "POST" and form.is_valid():
        try:
            seeds = _seeds(form)
            wanted = {**form.request(), "count": form.cleaned_data["count"] or len(seeds.texts)}
            if request.POST.get("step") == "start":
                run = batches.start_batch(seeds=seeds.texts, requested_by=request.user, **wanted)
                messages.success(request, "The batch is queued. This page updates by itself.")
                return redirect("batch", run.pk)
            batches.require_startable(seeds=seeds.texts, **wanted)
            estimate = _estimated(len(seeds.texts), wanted)
            left_out = {"remarks": seeds.remarks, "count": seeds.duplicates + seeds.blanks}
            form = _filled(request.POST, seeds.texts)
        except WorldwrightError as error:
            form.add_error("seeds_file" if form.cleaned_data.get("seeds_file") else None, str(error))
    context = {"form": form, "estimate": estimate, "left_out": left_out, "section": "runs"}
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "batches/new.html", context, status=status)


@require_POST
@requires(Act.SYNTHESISE)
def batch_budget(request: SignedInRequest, batch_id: int) -> HttpResponse:
    """Give a batch other limits; what is held back goes on when it is resumed."""
    run = batch_reading.find_batch(batch_id)
    form = BudgetForm(request.POST)
    if not form.is_valid():
        message = " ".join(f"{name}: {' '.join(map(str, errors))}" for name, errors in form.errors.items())
        messages.error(request, f"The budget was not changed. {message}")
        return redirect("batch", run.pk)
    try:
        batches.set_budget(batch=run, **form.cleaned_data)
    except WorldwrightError as error:
        messages.error(request, f"The budget was not changed. {error}")
    else:
        messages.success(request, "The budget is saved. Resume the batch if it is paused.")
    return redirect("batch", run.pk)


def _progress(request: HttpRequest, run: Run) -> dict[str, Any]:
    summary = summarise(run)
    wanted = {name: request.GET.get(name) for name in ("error", "stage")}
    state = request.GET.get("state", "")
    children = batch_reading.children_of(run, state=state, **wanted)
    paginator = Paginator(children, PER_PAGE)
    choices = _states(summary, state)
    if not any(wanted.values()):
        # The summary has counted them already.
        paginator.count = next((each["count"] for each in choices if each["chosen"]), 0)
    candidates = batch_reading.count_candidates(run)
    events = list(run.events.order_by("-id")[:MOST_EVENTS])
    begun = run.state == RunState.RUNNING and bool(run.request["expand"])
    return {
        "run": run,
        "summary": summary,
        "address": reverse("batch", args=[run.pk]),
        "query": f"?{request.GET.urlencode()}" if request.GET else "",
        "children": paginator.get_page(request.GET.get("page")),
        "choices": choices,
        "narrowed": " at ".join(each for each in wanted.values() if each),
        "nothing": "Its runs start once a worker has picked up the batch." if not summary.total else "",
        "held": budget_pause(run, summary) if summary.paused or run.paused_at else None,
        "limits": batch_limits_used(run, cost=summary.cost, tokens=summary.tokens),
        "candidates": candidates,
        "expanding": begun and not summary.total,
        "events": events,
        "stalled": batch_reading.stall_of(events),
        "seeds": len(run.request["seeds"]),
        "retry": run.retries.first() if run.is_over else None,
    }


def _states(summary: BatchSummary, chosen: str) -> list[dict[str, Any]]:
    """The states that occur, each with the address that narrows the runs to it."""
    rows = [("", "All", summary.total)]
    rows += [(state.value, str(state.label), summary.states[state.value]) for state in RunState]
    rows.append(("paused", "Paused", summary.paused))
    return [
        {
            "value": value,
            "word": word,
            "count": count,
            "chosen": value == chosen,
            "address": f"?state={value}" if value else "?",
        }
        for value, word, count in rows
        if count or value in ("", chosen)
    ]


def _decisions(counts: CandidateCounts, params: QueryDict, chosen: str) -> list[dict[str, Any]]:
    rows = [("", "All", counts.proposed), ("rejected", "Rejected", counts.rejected), *counts.decisions]
    results = []
    for value, word, count in rows:
        changed = params.copy()
        changed.pop("page", None)
        changed["decision"] = value
        if not value:
            changed.pop("decision")
        address = f"?{changed.urlencode()}"
        results.append(
            {"value": value, "word": word, "count": count, "chosen": value == chosen, "address": address}
        )
    return results


def _exported(candidate: ScenarioCandidate) -> list[Any]:
    """One candidate as a row of the file."""
    result = candidate.suitability or {}
    values = {
        "method": candidate.get_method_display(),
        "similarity": candidate.similarity if candidate.nearest else "",
        "score": result.get("score", ""),
        "level": result.get("level", ""),
        "can": "; ".join(result.get("can", ())),
        "cannot": "; ".join(result.get("cannot", ())),
        "run": candidate.run_id or "",
        "decision": CandidateDecision(candidate.decision).label,
    }
    return [values[name] if name in values else getattr(candidate, name) for name in EXPORTED]


def _seeds(form: BatchForm) -> Any:
    """The seeds of the text or the file.

    Raises:
        InvalidInput: They cannot be used; the text names the line.
    """
    file = form.cleaned_data.get("seeds_file")
    if file is not None:
        return batches.seeds_of_upload(file, file.name or "the file")
    text: str = form.cleaned_data["seeds"]
    return batches.seeds_of_upload(text.encode().splitlines(keepends=True), "the list")


def _estimated(seeds: int, wanted: dict[str, Any]) -> batch_estimate.BatchEstimate:
    expands = batches.wants_expansion(
        seeds=seeds, count=wanted["count"], author=wanted["author"], expand=wanted["expand"]
    )
    return batch_estimate.estimate_batch(count=wanted["count"], author=wanted["author"], expands=expands)


def _filled(posted: QueryDict, texts: tuple[str, ...]) -> BatchForm:
    """The form as it is shown again: a browser forgets a file, so its seeds stand in the text."""
    data = posted.copy()
    data["seeds"] = "\n".join(texts)
    return BatchForm(data)
