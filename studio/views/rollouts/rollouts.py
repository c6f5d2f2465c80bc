"""Rollouts: asking for a batch of episodes, and following it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from studio.forms.rollouts import MEANINGS, RolloutForm, split
from studio.models import Act, EnvironmentRecord, Run, RunKind, RunState
from studio.models.runs import BATCHES
from studio.services.errors import Conflict, Missing, ServiceError
from studio.services.rollouts import rollout_batches, rollout_summary
from studio.services.runs import runs
from studio.templatetags.shell import shows_code
from studio.views.access import SignedInRequest, requires
from synthesis.errors import WorldwrightError

PER_PAGE = 50


@requires(Act.SYNTHESISE)
def rollouts_new(request: SignedInRequest) -> HttpResponse:
    """Ask agents to play; the batch's page follows it."""
    given = {name: request.GET[name] for name in ("environment", "tasks", "state") if name in request.GET}
    form = RolloutForm(request.POST or None, initial=given, expert=shows_code(request))
    if request.method == "POST" and form.is_valid():
        run = _started(form, request)
        if run is not None:
            messages.success(request, "The episodes are queued. This page updates by itself.")
            return redirect("rollouts", run_id=run.pk)
    narrowing = [form["kinds"], form["difficulties"]]
    context = {"form": form, "meanings": MEANINGS, "narrowing": narrowing, "section": "runs"}
    return render(request, "rollouts/new.html", context, status=422 if form.is_bound else 200)


@requires(Act.VIEW)
def rollouts(request: HttpRequest, run_id: int) -> HttpResponse:
    """A batch of rollouts: progress and outcomes."""
    run = runs.find(run_id)
    if not _plays(run):
        return redirect(run)
    return render(request, "rollouts/batch.html", _shown(request, run))


@requires(Act.VIEW)
def rollouts_progress(request: HttpRequest, run_id: int) -> HttpResponse:
    """The part of the page that changes; it asks for itself again until the batch is over."""
    run = runs.find(run_id)
    if not _plays(run):
        return redirect("run_progress", run_id=run_id)
    return render(request, "rollouts/_progress.html", _shown(request, run))


@require_POST
@requires(Act.SYNTHESISE)
def rollouts_go_on(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Play what a stopped batch left."""
    run = runs.find(run_id)
    if run.kind != RunKind.ROLLOUTS:
        raise Conflict(f"Run {run_id} is not a batch of rollouts.", remedy="Retry it on its page.")
    rollout_batches.go_on(batch=run, requested_by=request.user)
    messages.success(request, "The batch resumes; finished episodes are kept.")
    return redirect("rollouts", run_id=run_id)


def _started(form: RolloutForm, request: SignedInRequest) -> Run | None:
    """The batch that was asked for; None when it was refused, which the form then says."""
    given = form.cleaned_data
    try:
        return rollout_batches.start_rollout_batch(
            environments=rollout_batches.environments_for(
                names=split(given["environment"]),
                state=given["state"],
                category=given["category"].strip(),
                most=given["most"],
            ),
            agents=given["agents"],
            samples=given["samples"],
            first_seed=given["first_seed"],
            tasks=form.task_filter(),
            play=form.play_settings(),
            budget_cost=given["budget_cost"],
            budget_tokens=given["budget_tokens"],
            requested_by=request.user,
        )
    except Missing as missing:
        form.add_error("environment", f"{missing.message} {missing.remedy}")
    except (WorldwrightError, ServiceError) as error:
        form.add_error(None, str(error))
    return None


def _plays(run: Run) -> bool:
    return run.kind in (RunKind.ROLLOUT, RunKind.ROLLOUTS)


def _named(environment: str) -> EnvironmentRecord | None:
    return EnvironmentRecord.objects.filter(name=environment).first() if environment else None


def _shown(request: HttpRequest, run: Run) -> dict[str, Any]:
    summary = rollout_summary.summarise(run)
    alone = run.environment.name if run.environment else ""
    environment = request.GET.get("environment", alone)
    groups = rollout_summary.groups(run, environment=environment)
    stopped = summary.states.get(RunState.FAILED, 0) + summary.states.get(RunState.CANCELLED, 0)
    return {
        "run": run,
        "summary": summary,
        "environment": environment,
        "alone": alone,
        "shown_environment": run.environment if environment == alone else _named(environment),
        "groups": Paginator(groups, PER_PAGE).get_page(request.GET.get("page")),
        "can_go_on": run.kind in BATCHES and run.is_over and stopped > 0,
        "section": "runs",
    }
