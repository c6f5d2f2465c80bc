"""Who may see a page, and what somebody else sees instead."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast
from urllib.parse import urlsplit

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme

from studio.models.roles import Act
from studio.services.accounts.accounts import require
from studio.services.accounts.people import note_visit
from studio.services.projects import request_visibility


class SignedInRequest(HttpRequest):
    """A request of somebody who passed `requires`."""

    user: User


P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
SignedInView = Callable[Concatenate[SignedInRequest, P], HttpResponseBase]


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of a page."""
    return bool(getattr(request, "htmx", False))


def requires(act: Act) -> Callable[[SignedInView[P]], View[P]]:
    """Let only people through whose role allows the act.

    Somebody who is not signed in is sent to the sign-in page, or offered it in place when only a part of a
    page was asked for. A wrong role raises `Forbidden`, which becomes a page naming the missing role.
    """

    def decorate(view: SignedInView[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _sign_in_first(request)
            require(request.user, act)
            request_visibility.enter(request, act)
            note_visit(request.user)
            response = view(cast("SignedInRequest", request), *args, **kwargs)
            patch_vary_headers(response, ("HX-Request",))
            return response

        guarded.act = act  # type: ignore[attr-defined]
        return cast("View[P]", guarded)

    return decorate


def go_on_for(request: SignedInRequest, act: Act) -> None:
    """Go on with what a page does besides what it shows, for which its door asked.

    Raises:
        Forbidden: The person's role does not allow it.
        Missing: The request names a project in which they may not.
    """
    require(request.user, act)
    request_visibility.enter(request, act)


def form_page(request: HttpRequest) -> str:
    """Where a person wanted to be: the page, or the one that holds the form that was sent."""
    sent_from = request.headers.get("Referer", "")
    own = url_has_allowed_host_and_scheme(
        sent_from, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    if request.method == "POST" and own:
        parts = urlsplit(sent_from)
        return parts.path + (f"?{parts.query}" if parts.query else "")
    return request.get_full_path()


def _sign_in_first(request: HttpRequest) -> HttpResponse:
    if not is_fragment(request):
        return redirect_to_login(form_page(request))
    return signed_out(request)


def signed_out(request: HttpRequest) -> HttpResponse:
    """What a part of a page gets whose reader is not signed in; the page offers it in place."""
    return render(request, "errors/_signed_out.html", status=401)
