"""Pages for what went wrong: styled, with the remedy, as a fragment when only a part was asked for."""

from __future__ import annotations

import logging
import secrets
import sys
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from studio.services.errors import ServiceError
from studio.views.access import form_page, is_fragment, signed_out

logger = logging.getLogger(__name__)

TITLES = {
    400: "Bad request",
    403: "Not allowed for your role",
    404: "Not found",
    409: "Not possible in the current state",
    413: "Too large",
    422: "Invalid input",
    429: "Too many attempts",
    500: "Something broke on our side",
    503: "Busy for a moment",
}


@dataclass(frozen=True)
class WayOn:
    """Where somebody goes on from a page that says what went wrong."""

    title: str
    address: str


def problem(
    request: HttpRequest,
    *,
    status: int,
    message: str,
    remedy: str = "",
    reference: str = "",
    heading: str = "",
    way: WayOn | None = None,
) -> HttpResponse:
    """The answer to a request that failed, whole or as a fragment.

    Args:
        request: What failed.
        status: The status of the answer.
        message: What is wrong.
        remedy: What to do about it.
        reference: What an administrator finds it by.
        heading: In place of what the status means.
        way: The page to go on from, where there is a better one than the home page.
    """
    context = {
        "status": status,
        "heading": heading or TITLES.get(status) or HTTPStatus(status).phrase,
        "own_heading": bool(heading),
        "message": message,
        "remedy": remedy,
        "reference": reference,
        "way": way,
    }
    if not is_fragment(request):
        return render(request, "errors/problem.html", context, status=status)
    response = render(request, "errors/_problem.html", context, status=status)
    # Into the region that asked, whatever part of the answer it would have taken; the region itself stays.
    response["HX-Reselect"], response["HX-Reswap"] = "[data-status]", "innerHTML"
    return response


def refusal(request: HttpRequest, refused: ServiceError) -> HttpResponse:
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
    """403: the form came without its token, as after signing in again in another tab, or without cookies."""
    if not request.user.is_authenticated:
        if is_fragment(request):
            return signed_out(request)
        return problem(
            request,
            status=403,
            heading="You are signed out",
            message="Nothing was sent: your session has ended, or your browser has lost its cookies.",
            remedy="Sign in: you come back to the page with the form.",
            way=WayOn("Sign in", _sign_in_for(form_page(request))),
        )
    return problem(
        request,
        status=403,
        heading="The form is out of date",
        message="Nothing was sent: you signed in or out after opening the form.",
        remedy="Open the page again and send it once more.",
        way=WayOn("Back to the form", form_page(request)),
    )


def _sign_in_for(place: str) -> str:
    sign_in = reverse("login")
    return place if place.startswith(sign_in) else f"{sign_in}?next={quote(place, safe='/')}"


def too_many_sign_ins(
    request: HttpRequest,
    original_response: HttpResponse | None = None,  # noqa: ARG001
    credentials: object = None,  # noqa: ARG001
) -> HttpResponse:
    """429: wrong passwords for this name came too often from this address."""
    minutes = settings.WORLDWRIGHT.sign_in_minutes
    response = problem(
        request,
        status=429,
        message="There were too many wrong passwords for this name.",
        remedy=f"Wait {minutes} minutes after the last one, or ask an administrator for a new password.",
    )
    response["Retry-After"] = str(minutes * 60)
    return response


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """404 with the way back."""
    return problem(
        request,
        status=404,
        message="There is no page at this address.",
        remedy="Follow a link from the catalogue, or press / and type a name.",
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """500 with a reference that is logged beside the traceback."""
    reference = secrets.token_hex(4)
    logger.error("Reference %s: %s %s", reference, request.method, request.path, exc_info=sys.exc_info())
    return problem(
        request,
        status=500,
        message="The page could not be rendered. Nothing you saved before is lost.",
        remedy="Try again; if the problem persists, give an administrator the reference.",
        reference=reference,
    )
