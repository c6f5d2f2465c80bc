"""The dashboard: how far environments come, what agents make of them, what people say, what it costs."""

from __future__ import annotations

from typing import Any

from django.db.models import Avg, Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from studio.models import (
    Act,
    Claim,
    EnvironmentRecord,
    EnvironmentState,
    Flag,
    FlagState,
    LlmCall,
    Review,
    Revision,
    Run,
    RunState,
    TrajectoryRecord,
)
from studio.services.judging.quality import PUBLISHED
from studio.services.review.agreement import of_decisions
from studio.views.access import requires
from synthesis.documents.rubric import ENVIRONMENT_QUALITY
from synthesis.documents.verdict import LABEL_TITLES


@requires(Act.VIEW)
def dashboard(request: HttpRequest) -> HttpResponse:
    """Figures, each with a link to what is behind it."""
    catalogue = reverse("environments")
    in_use = EnvironmentRecord.objects.in_use()
    states = dict(in_use.order_by().values_list("state").annotate(Count("pk")))
    total = sum(states.values())
    context = {
        "section": "dashboard",
        "total": total,
        "funnel": _funnel(states, total, catalogue),
        "progress": _progress(states, catalogue),
        "sizes": Revision.objects.filter(pk__in=in_use.values("current")).aggregate(
            tables=Avg("tables"),
            rows=Avg("rows"),
            tools=Avg("tools"),
            tasks=Avg("tasks"),
            lines=Avg("code_lines"),
        ),
        "agents": _agents(),
        "quality": _quality(),
        "agreement": of_decisions(Review.objects.submitted().select_related("environment")),
        "reviews": Review.objects.submitted().count(),
        "runs": _runs(),
        "spend": LlmCall.objects.aggregate(
            calls=Count("pk"), input=Sum("input_tokens"), output=Sum("output_tokens"), cost=Sum("cost")
        ),
        "categories": list(
            EnvironmentRecord.objects.in_use()
            .order_by()
            .values_list("category")
            .annotate(n=Count("pk"))
            .order_by("-n", "category")[:12]
        ),
    }
    return render(request, "dashboard.html", context)


def _funnel(states: dict[str, int], total: int, catalogue: str) -> list[dict[str, Any]]:
    """How many environments reached each level; who is further has passed the ones before."""
    levels = list(EnvironmentState)
    rows = []
    for level in levels:
        reached = sum(
            count for state, count in states.items() if EnvironmentState(state).level >= level.level
        )
        further = "&".join(f"state={each.value}" for each in levels if each.level >= level.level)
        rows.append(
            {
                "state": level.value,
                "count": reached,
                "percent": round(100 * reached / total) if total else 0,
                "address": f"{catalogue}?{further}",
            }
        )
    return rows


def _progress(states: dict[str, int], catalogue: str) -> list[tuple[str, int, str]]:
    """How far the reviews are: what is counted, how many, where they are."""
    held = Claim.objects.active().values("environment").distinct().count()
    flagged = Flag.objects.filter(state=FlagState.OPEN).aggregate(
        flags=Count("pk"), environments=Count("environment", distinct=True)
    )
    proved, reviewed = (
        states.get(state, 0) for state in (EnvironmentState.PROVED, EnvironmentState.REVIEWED)
    )
    decided = sum(states.get(state, 0) for state in (EnvironmentState.APPROVED, EnvironmentState.EXPORTED))
    return [
        ("waiting for a first review", proved, f"{catalogue}?state=proved"),
        ("held by a reviewer now", held, f"{catalogue}?held=true"),
        ("reviewed, not approved", reviewed, f"{catalogue}?state=reviewed"),
        ("approved", decided, f"{catalogue}?state=approved&state=exported"),
        ("with open flags", flagged["environments"], f"{catalogue}?flagged=true"),
    ]


def _agents() -> list[dict[str, Any]]:
    """Per agent how its episodes ended."""
    rows: dict[str, dict[str, int]] = {}
    counted = TrajectoryRecord.objects.order_by().values_list("agent", "label").annotate(Count("pk"))
    for agent, label, count in counted:
        rows.setdefault(agent, {})[label] = count
    return [
        {
            "agent": agent,
            "total": sum(labels.values()),
            "labels": [
                (label, title, labels[label]) for label, title in LABEL_TITLES.items() if labels.get(label)
            ],
            "percent": round(100 * labels.get("completed", 0) / sum(labels.values())),
        }
        for agent, labels in sorted(rows.items())
    ]


def _quality() -> list[dict[str, Any]]:
    """Mean grade per criterion of the submitted reviews beside the published ones, on a scale of 300 px."""
    grades: dict[str, list[int]] = {}
    for scores in Review.objects.submitted().values_list("scores", flat=True):
        for name, score in scores.items():
            grades.setdefault(name, []).append(score)
    rows = []
    for criterion in ENVIRONMENT_QUALITY.criteria:
        given = grades.get(criterion.name, [])
        mean = sum(given) / len(given) if given else None
        rows.append(
            {
                "title": criterion.title,
                "mean": mean,
                "count": len(given),
                "width": _grade_place(mean) if mean else 0,
                "awm": PUBLISHED["AWM"][criterion.name],
                "awm_x": _grade_place(PUBLISHED["AWM"][criterion.name]),
                "envscaler": PUBLISHED["EnvScaler"][criterion.name],
                "envscaler_x": _grade_place(PUBLISHED["EnvScaler"][criterion.name]),
            }
        )
    return rows


def _runs() -> list[tuple[str, str, int]]:
    counts = dict(Run.objects.top_level().order_by().values_list("state").annotate(Count("pk")))
    return [(state.value, state.label, counts.get(state.value, 0)) for state in RunState]


def _grade_place(grade: float) -> int:
    """Where a grade from 1 to 5 is on an axis of 300."""
    return round(75 * (grade - 1))
