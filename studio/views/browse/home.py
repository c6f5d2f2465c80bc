"""The first page: what this is, a sample to explore, three first steps; the keys; the glossary."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from studio.models import Act, BundleRecord, Element, EnvironmentRecord, Run, TrajectoryRecord
from studio.presentation.keys import PLACES
from studio.services.browse.glossary import sections
from studio.services.review.queue import queue_for
from studio.views.access import SignedInRequest, is_fragment, requires


def home(request: HttpRequest) -> HttpResponse:
    """Whoever comes first to the studio; signed in or not."""
    if not request.user.is_authenticated:
        return render(request, "home/welcome.html")
    return _desk(request)  # type: ignore[return-value]


@requires(Act.VIEW)
def _desk(request: SignedInRequest) -> HttpResponse:
    sample = EnvironmentRecord.objects.listed().in_use().order_by("id").first()
    tried = sample.trajectories.order_by("-changed_rows", "-step_count").first() if sample else None
    context = {
        "section": "home",
        "sample": sample,
        "sample_trajectory": tried,
        "sample_task": sample.elements.filter(kind="task", name=tried.task_id).first()
        if sample and tried
        else None,
        "sample_steps": tried.steps.exclude(tool="").defer("document")[:5] if tried else [],
        "waiting": queue_for(request.user)[:4],
        "waiting_count": queue_for(request.user).count(),
        "runs": Run.objects.listed().top_level()[:5],
        "figures": {
            "environments": EnvironmentRecord.objects.in_use().count(),
            "trajectories": TrajectoryRecord.objects.count(),
            "bundles": BundleRecord.objects.count(),
        },
    }
    return render(request, "home/desk.html", context)


def _task_of(tried: TrajectoryRecord) -> Element | None:
    return Element.objects.filter(environment=tried.environment_id, kind="task", name=tried.task_id).first()


@requires(Act.VIEW)
def keys(request: HttpRequest) -> HttpResponse:
    """The table of keys, whole or for the dialog."""
    context = {"places": PLACES, "on": request.COOKIES.get("keys") != "off", "section": "home"}
    return render(request, "home/_keys.html" if is_fragment(request) else "home/keys.html", context)


@requires(Act.VIEW)
def glossary(request: SignedInRequest) -> HttpResponse:
    """The words of the field as the studio uses them."""
    return render(request, "home/glossary.html", {"sections": sections(), "section": "home"})
