"""Pages for what went wrong: styled, with the remedy, as a fragment when only a part was asked for."""

from __future__ import annotations

import logging
import secrets
import sys
from http import HTTPStatus

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from studio.services.refusals import Refused
from studio.views.access import is_fragment

logger = logging.getLogger(__name__)

TITLES = {
    400: "This cannot be read",
    403: "Not for your role",
    404: "There is nothing here",
    409: "Not as things stand",
    413: "Too large",
    422: "Not usable as it is",
    500: "Something broke on our side",
    503: "Busy for a moment",
}


def problem(
    request: HttpRequest, *, status: int, message: str, remedy: str = "", reference: str = ""
) -> HttpResponse:
    """The answer to a request that failed, whole or as a fragment."""
    context = {
        "status": status,
        "heading": TITLES.get(status) or HTTPStatus(status).phrase,
        "message": message,
        "remedy": remedy,
        "reference": reference,
    }
    if not is_fragment(request):
        return render(request, "errors/problem.html", context, status=status)
    response = render(request, "errors/_problem.html", context, status=status)
    # Into the region that asked, whatever part of the answer it would have taken; the region itself stays.
    response["HX-Reselect"], response["HX-Reswap"] = "[data-status]", "innerHTML"
    return response


def refusal(request: HttpRequest, refused: Refused) -> HttpResponse:
    """The page for a service's refusal."""
    return problem(request, status=refused.status, message=refused.message, remedy=refused.remedy)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """400: Django could not read the request."""
    return problem(
        request, status=400, message="The request could not be read.", remedy="Go back and try again."
    )


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403 from Django itself."""
    message = str(exception) if isinstance(exception, PermissionDenied) and str(exception) else ""
    return problem(request, status=403, message=message or "You may not do this.")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001
    """403: the form came without its token, as after signing in again in another tab."""
    return problem(
        request,
        status=403,
        message="This form is out of date: you signed in or out since it was opened.",
        remedy="Go back, reload the page and send it again.",
    )


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """404 with the way back."""
    return problem(
        request,
        status=404,
        message="No page has this address.",
        remedy="Follow a link from the catalogue, or press / and type a name.",
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """500 with a reference that stands in the log beside the traceback."""
    reference = secrets.token_hex(4)
    logger.error("Reference %s: %s %s", reference, request.method, request.path, exc_info=sys.exc_info())
    return problem(
        request,
        status=500,
        message="The page could not be made. Nothing you entered before was lost.",
        remedy="Try again; if it stays, tell an administrator the reference.",
        reference=reference,
    )
