"""Probes for load balancers and supervisors: open to everybody, and silent about anything secret."""

from __future__ import annotations

from importlib.metadata import version

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from studio.services.operations.readiness import unready


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:  # noqa: ARG001
    """200 while this process answers at all."""
    return JsonResponse({"status": "ok", "release": version("worldwright")})


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:  # noqa: ARG001
    """200 when database, broker and storage can be used; else 503 with what is wrong by part."""
    problems = unready()
    status = "unready" if problems else "ready"
    return JsonResponse({"status": status, "problems": problems}, status=503 if problems else 200)
