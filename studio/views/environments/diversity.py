"""The report on difficulty and diversity, as a page and as JSON."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from studio.models import Act
from studio.services.environments import diversity as services
from studio.views.access import requires
from synthesis.diversity import AWM, TITLES, Distribution

WIDTH, HEIGHT = 300, 60
"""Of a histogram, in the units of its drawing."""


@requires(Act.VIEW)
def diversity(request: HttpRequest) -> HttpResponse:
    """Sizes and difficulty as histograms beside AWM's means, overlap, duplicates, categories."""
    category = request.GET.get("category", "")
    diversity_report = services.report(category=category)
    if request.GET.get("format") == "json":
        details = diversity_report.diversity.model_dump(mode="json")
        return JsonResponse(
            {"measured": diversity_report.measured, "of": diversity_report.environments, **details}
        )
    report = diversity_report.diversity
    context = {
        "section": "dashboard",
        "diversity_report": diversity_report,
        "report": report,
        "category": category,
        "charts": [_chart(name, report.sizes[name]) for name in TITLES if name in report.sizes],
        "copied": 100 * report.duplicate_functions / report.functions if report.functions else None,
        "categories": _shares(report.categories),
        "kinds": _shares(report.kinds),
    }
    return render(request, "diversity.html", context)


def _chart(name: str, spread: Distribution) -> dict[str, Any]:
    """A histogram with the places of its bars and of the published mean."""
    tallest = max((count for _, count in spread.bins), default=0) or 1
    width = WIDTH / max(1, len(spread.bins))
    step = spread.bins[1][0] - spread.bins[0][0] if len(spread.bins) > 1 else 1
    bars = [
        {
            "x": round(place * width + 1, 1),
            "width": round(max(1.0, width - 2), 1),
            "y": round(HEIGHT - HEIGHT * count / tallest, 1),
            "height": round(HEIGHT * count / tallest, 1),
            "says": f"{low:g} to {low + step - 1:g}: {count}" if step > 1 else f"{low:g}: {count}",
        }
        for place, (low, count) in enumerate(spread.bins)
    ]
    published = AWM.get(name)
    reference = None
    if published is not None:
        place = (published["mean"] - spread.bins[0][0]) / step * width
        reference = round(min(WIDTH, max(0.0, place)), 1)
    return {
        "title": TITLES[name],
        "spread": spread,
        "bars": bars,
        "published": published,
        "reference": reference,
    }


def _shares(counts: dict[str, int]) -> list[tuple[str, int, float]]:
    total = sum(counts.values())
    return [(name, count, 100 * count / total) for name, count in counts.items()]
