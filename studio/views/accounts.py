"""Signing in and out, and the theme."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from studio.forms.accounts import SignInForm
from studio.templatetags.shell import THEMES

YEAR = 365 * 24 * 3600


class SignIn(LoginView):
    """The sign-in page; afterwards the person is where they wanted to go."""

    authentication_form = SignInForm
    template_name = "registration/sign_in.html"
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """Ends the session and shows the sign-in page."""


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the chosen theme in a cookie, for browsers without script."""
    back = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        back = "/"
    response = HttpResponseRedirect(back)
    wanted = request.POST.get("theme", "")
    if wanted in THEMES:
        response.set_cookie("theme", wanted, max_age=YEAR, samesite="Lax", secure=request.is_secure())
    return response
