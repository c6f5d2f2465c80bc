"""Spend: what models cost, by month, stage, model and run, against the limits."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from studio.models import Act
from studio.services.errors import Missing
from studio.services.llm import spend as services
from studio.views.access import requires
from synthesis.errors import InvalidInput


@requires(Act.VIEW)
def spend(request: HttpRequest) -> HttpResponse:
    """One month; the current one unless the address names another."""
    try:
        result = services.spend(request.GET.get("month", ""))
    except InvalidInput as error:
        raise Missing(str(error), remedy="Choose a month from the list.") from error
    return render(request, "spend/spend.html", {"spend": result, "section": "dashboard"})
