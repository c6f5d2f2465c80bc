"""Quality: how good the environments are, by a judge model and by people, beside the published figures."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from studio.forms.quality import GradingForm
from studio.models import Act, QualityRecord
from studio.services.environments import environments
from studio.services.errors import Missing
from studio.services.judging import quality as services
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find, page
from synthesis.documents.quality import BUG_TITLES
from synthesis.documents.rubric import ENVIRONMENT_QUALITY
from synthesis.errors import WorldwrightError

PER_PAGE = 50
UNIT = 60
"""Width of one grade in the drawing; five of them are the whole."""
FLAG_REASONS = {
    "unhandled_edge_input": "tool_bug",
    "wrong_result": "tool_bug",
    "wrong_change": "tool_bug",
    "missing_guard": "tool_bug",
    "inconsistent_data": "data_wrong",
    "infeasible_task": "task_infeasible",
    "wrong_verifier": "verifier_wrong",
    "unclear_instruction": "task_unclear",
}
"""What a person would flag a bug of each kind as."""


@requires(Act.VIEW)
def quality(request: HttpRequest) -> HttpResponse:
    """Means per criterion, bugs by class, and every graded environment, the worst first."""
    records = services.active()
    records.sort(key=lambda record: (_mean(record), record.environment.title))
    summary = services.summary(records)
    context = {
        "section": "dashboard",
        "summary": summary,
        "rows": [_bars(each) for each in summary.criteria],
        "criteria": ENVIRONMENT_QUALITY.criteria,
        "buggy": _percent(summary.buggy),
        "blocked": _percent(summary.blocked / summary.tasks if summary.tasks else None),
        "kinds": [(title, count, round(100 * share)) for _, title, count, share in summary.kinds],
        "published_buggy": _percent(services.PUBLISHED_BUGGY),
        "published_edge": _percent(services.PUBLISHED_EDGE),
        "page": Paginator(records, PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "quality/quality.html", context)


@requires(Act.SYNTHESISE)
def quality_new(request: SignedInRequest) -> HttpResponse:
    """Ask for grades; the run's page follows them."""
    form = GradingForm(request.POST or None, initial={"environment": request.GET.get("environment", "")})
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["environment"]
        try:
            run = services.start_grading(
                environment=environments.find(name) if name else None,
                sample=form.cleaned_data["sample"],
                seed=form.cleaned_data["seed"],
                requested_by=request.user,
            )
        except Missing as missing:
            form.add_error("environment", f"{missing.message} {missing.remedy}")
        except WorldwrightError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The grading is queued. This page updates by itself.")
            return redirect(run)
    status = 422 if form.is_bound else 200
    return render(request, "quality/new.html", {"form": form, "section": "dashboard"}, status=status)


@requires(Act.VIEW)
def environment_quality(request: HttpRequest, name: str) -> HttpResponse:
    """The newest grade of one environment with its reasons and bugs, each of which can be flagged."""
    record = find(name)
    newest = QualityRecord.objects.filter(environment=record).select_related("revision").first()
    grade = newest.load() if newest else None
    context = {
        "newest": newest,
        "grade": grade,
        "stale": newest is not None and newest.revision_id != record.current_id,
        "criteria": [
            (each.title, each.question, grade.grades[each.name])
            for each in ENVIRONMENT_QUALITY.criteria
            if grade and each.name in grade.grades
        ],
        "bugs": [
            (bug, BUG_TITLES[bug.kind], FLAG_REASONS.get(bug.kind, "other"))
            for bug in (grade.bugs if grade else ())
        ],
    }
    return page(request, record, "environment_checks", "quality/environment.html", context)


def _mean(record: QualityRecord) -> float:
    return float(sum(record.scores.values()) / max(1, len(record.scores)))


def _bars(criterion: services.CriterionGrades) -> dict[str, Any]:
    """The places of a criterion's bars and reference lines."""
    return {
        "criterion": criterion,
        "judged_width": round(UNIT * criterion.judged) if criterion.judged else 0,
        "people_width": round(UNIT * criterion.people) if criterion.people else 0,
        "published": [
            (name, means[criterion.name], round(UNIT * means[criterion.name]))
            for name, means in services.PUBLISHED.items()
        ],
    }


def _percent(share: float | None) -> int | None:
    return None if share is None else round(100 * share)
