"""The operations page: what protects this installation, what it runs on, its present work."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from studio.models import Act
from studio.services.operations.overview import operations as look
from studio.views.access import requires


@requires(Act.VIEW)
def operations(request: HttpRequest) -> HttpResponse:
    """The same that `worldwright doctor` says of the sandbox, and the state of the studio's own parts."""
    return render(request, "operations.html", {"operations": look(), "section": "operations"})
