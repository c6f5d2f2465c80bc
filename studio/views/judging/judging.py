"""The judge lab: how far each judge can be relied on, and the trajectories a person should see."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from studio.forms.judging import LABELS, MEANINGS, JudgingForm, LabelForm
from studio.models import Act, Run, RunKind, VerdictRecord
from studio.presentation.lists import configure
from studio.services.environments import environments
from studio.services.errors import Missing
from studio.services.judging import judge_figures
from studio.services.judging import judging as services
from studio.tables.judging import JudgingTable
from studio.views.access import SignedInRequest, requires
from synthesis.errors import WorldwrightError

WIDTH = 300
"""Of a bar, in the units of its drawing."""
MOST_SHOWN = 100
"""Trajectories on one page."""
FIGURES = {
    "pairwise_agreement": ("Pairwise agreement", "Share of pairs of judgements of one trajectory that agree"),
    "flip_rate": (
        "Flip rate",
        "Share of trajectories that did not get the same label every time; lower is better",
    ),
    "fleiss_kappa": ("Fleiss' kappa", "Agreement beyond chance: 1 is perfect, 0 is chance"),
}


@requires(Act.VIEW)
def judging(request: HttpRequest) -> HttpResponse:
    """Every run of judgements, newest first."""
    table = JudgingTable(
        Run.objects.listed().filter(kind=RunKind.JUDGING), order_by_field="sort", page_field="page"
    )
    configure(request, table)
    return render(request, "judging/list.html", {"table": table, "section": "judging"})


@requires(Act.SYNTHESISE)
def judging_new(request: SignedInRequest) -> HttpResponse:
    """Ask for a judge to be measured; the run's page follows it."""
    form = JudgingForm(request.POST or None, initial={"environment": request.GET.get("environment", "")})
    if request.method == "POST" and form.is_valid():
        run = _started(form, request)
        if run is not None:
            messages.success(request, "The run is queued. This page updates by itself.")
            return redirect(run)
    status = 422 if form.is_bound else 200
    meanings = {source.value: words for source, words in MEANINGS.items()}
    context = {"form": form, "meanings": meanings, "section": "judging"}
    return render(request, "judging/new.html", context, status=status)


@requires(Act.VIEW)
def judging_run(request: SignedInRequest, judging_id: int) -> HttpResponse:
    """What a run's judgements came to."""
    run = judge_figures.find(judging_id)
    everything = judge_figures.judged(run)
    disputed = [each for each in everything if each.differs]
    show_all = request.GET.get("show") == "all"
    listed = everything if show_all else disputed
    shown = listed[:MOST_SHOWN]
    given = VerdictRecord.objects.filter(
        author=request.user, trajectory__in=[each.trajectory.pk for each in shown]
    )
    mine = {verdict.trajectory_id: verdict for verdict in given}
    context = {
        "run": run,
        "section": "judging",
        "result": run.result,
        "figures": [_figure(name, run.result) for name in FIGURES] if run.result else [],
        "labels": _labels(run.result),
        "comparisons": [_compared(each) for each in judge_figures.comparisons(run)],
        "disputed": len(disputed),
        "everything": len(everything),
        "listed": len(listed),
        "show_all": show_all,
        "rows": [(each, *_own(mine.get(each.trajectory.pk))) for each in shown],
        "choices": LABELS,
    }
    return render(request, "judging/run.html", context)


@require_POST
@requires(Act.REVIEW)
def judging_label(request: SignedInRequest, judging_id: int, trajectory_id: int) -> HttpResponse:
    """Keep what a person says a trajectory was worth, or take it back."""
    run = judge_figures.find(judging_id)
    form = LabelForm(request.POST)
    if not form.is_valid():
        message = " ".join(str(error) for errors in form.errors.values() for error in errors)
        messages.error(request, f"The label was not saved. {message}")
    elif form.cleaned_data["label"]:
        services.label_by_person(trajectory_id=trajectory_id, author=request.user, **form.cleaned_data)
        messages.success(request, "Your label is saved.")
    else:
        services.withdraw_label(trajectory_id=trajectory_id, author=request.user)
        messages.info(request, "Your label was removed.")
    query = "?show=all" if request.POST.get("show") == "all" else ""
    return redirect(f"{reverse('judging_run', args=[run.pk])}{query}#trajectory-{trajectory_id}")


def _started(form: JudgingForm, request: SignedInRequest) -> Run | None:
    """The run that was asked for; None when it was refused, which the form then says."""
    wanted = dict(form.cleaned_data)
    name = wanted.pop("environment")
    try:
        record = environments.find(name) if name else None
        return services.start_judging(environment=record, requested_by=request.user, **wanted)
    except Missing as missing:
        form.add_error("environment", f"{missing.message} {missing.remedy}")
    except WorldwrightError as error:
        form.add_error(None, str(error))
    return None


def _figure(name: str, result: dict[str, Any]) -> dict[str, Any]:
    """One figure with the places of its bar, its interval and the published value."""
    title, meaning = FIGURES[name]
    figure, published = result["reliability"][name], result["published"][name]
    low, high = _place(figure["low"]), _place(figure["high"])
    return {
        **figure,
        "title": title,
        "meaning": meaning,
        "published": published,
        "width": _place(figure["value"]),
        "low_x": low,
        "spread": max(2, high - low),
        "published_x": _place(published),
        "anchor": "end" if published > 0.5 else "start",
    }


def _place(value: float) -> int:
    """Where a value between 0 and 1 lies on a bar; what is below 0 lies at its start."""
    return round(WIDTH * min(1.0, max(0.0, value)))


def _labels(result: dict[str, Any] | None) -> list[tuple[str, int]]:
    return sorted((result or {}).get("labels", {}).items(), key=lambda item: -item[1])


def _compared(comparison: judge_figures.JudgeComparison) -> dict[str, Any]:
    """A confusion as rows: the judge's label, then how often the other said each of theirs."""
    columns = sorted({other for _, other in comparison.table})
    rows = [
        (mine, [(comparison.table.get((mine, other), 0), mine == other) for other in columns])
        for mine in sorted({mine for mine, _ in comparison.table})
    ]
    share = comparison.share
    return {
        "key": comparison.key,
        "title": comparison.title,
        "run": comparison.run,
        "both": comparison.both,
        "same": comparison.same,
        "percent": None if share is None else 100 * share,
        "columns": columns,
        "rows": rows,
    }


def _own(verdict: VerdictRecord | None) -> tuple[str, str]:
    """A person's own label and comment, or nothing."""
    if verdict is None:
        return "", ""
    document = verdict.load()
    return verdict.label, getattr(document, "explanation", "")
