"""Taking an environment out of use, and bringing it back."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from studio.models import Act
from studio.services.environments import archive
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find, page
from synthesis.errors import InvalidInput


@requires(Act.ARCHIVE)
def environment_archive(request: SignedInRequest, name: str) -> HttpResponse:
    """Ask why, then take it out of use."""
    record = find(name)
    refused = ""
    if request.method == "POST":
        try:
            archive.archive(record=record, lead=request.user, reason=request.POST.get("reason", ""))
        except InvalidInput as error:
            refused = str(error)
        else:
            messages.success(request, f"{record.title} is archived. Everything about it is kept.")
            return redirect(record)
    context = {
        "refused": refused,
        "reason": request.POST.get("reason", ""),
        "most": archive.LONGEST_REASON,
        "works": archive.in_hands([record])[record.pk],
    }
    response = page(request, record, "environment", "environments/archive.html", context)
    response.status_code = 422 if refused else 200
    return response


@require_POST
@requires(Act.ARCHIVE)
def environment_restore(request: SignedInRequest, name: str) -> HttpResponse:
    """Bring it back."""
    record = find(name)
    archive.restore(record=record, lead=request.user)
    messages.success(request, f"{record.title} is in use again.")
    return redirect(record)
