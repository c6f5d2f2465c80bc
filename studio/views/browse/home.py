"""The first page: what this is, a sample to explore, three first steps; the keys; the glossary."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from studio.models import Act, BundleRecord, Element, ElementKind, EnvironmentRecord, Run, TrajectoryRecord
from studio.presentation.keys import PLACES
from studio.services.browse.glossary import sections
from studio.services.environments import change_lists
from studio.services.environments.titles import Titles
from studio.services.review.queue import queue_for
from studio.views.access import SignedInRequest, is_fragment, requires

MOST_WAITING = 4
MOST_LISTS = 6


def home(request: HttpRequest) -> HttpResponse:
    """Whoever comes first to the studio; signed in or not."""
    if not request.user.is_authenticated:
        return render(request, "home/welcome.html")
    return _desk(request)  # type: ignore[return-value]


def _is_task(element: Element, task_id: str) -> bool:
    return element.kind == ElementKind.TASK and element.name == task_id


@requires(Act.VIEW)
def _desk(request: SignedInRequest) -> HttpResponse:
    sample = EnvironmentRecord.objects.listed().in_use().order_by("id").first()
    tried = sample.trajectories.order_by("-changed_rows", "-step_count").first() if sample else None
    elements = list(sample.elements.defer("figures")) if sample else []
    waiting = list(queue_for(request.user).prefetch_related(None)[:MOST_WAITING])
    context = {
        "section": "home",
        "sample": sample,
        "sample_trajectory": tried,
        "sample_task": next((each for each in elements if tried and _is_task(each, tried.task_id)), None),
        "titles": Titles(sample, elements) if sample else None,
        "sample_steps": tried.steps.exclude(tool="").defer("document")[:5] if tried else [],
        "waiting": waiting,
        "waiting_count": queue_for(request.user).count() if len(waiting) == MOST_WAITING else len(waiting),
        "lists": change_lists.concerning(request.user)[:MOST_LISTS],
        "today": timezone.localdate(),
        "runs": Run.objects.listed().top_level()[:5],
        "figures": {
            "environments": EnvironmentRecord.objects.in_use().count(),
            "trajectories": TrajectoryRecord.objects.count(),
            "bundles": BundleRecord.objects.count(),
        },
    }
    return render(request, "home/desk.html", context)


@requires(Act.VIEW)
def keys(request: HttpRequest) -> HttpResponse:
    """The table of keys, whole or for the dialog."""
    context = {"places": PLACES, "on": request.COOKIES.get("keys") != "off", "section": "home"}
    return render(request, "home/_keys.html" if is_fragment(request) else "home/keys.html", context)


@requires(Act.VIEW)
def glossary(request: SignedInRequest) -> HttpResponse:
    """The words of the field as the studio uses them."""
    return render(request, "home/glossary.html", {"sections": sections(), "section": "home"})
