"""Signing in and out, joining, choosing a new password, the theme, and how much of the code is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.views import LoginView, LogoutView, PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from studio.forms.accounts import JoinForm, SignInForm
from studio.models import Role
from studio.services.accounts import invitations
from studio.templatetags.shell import THEMES, VIEWS
from studio.views.accounts import single_sign_on
from studio.views.own_address import own_address

YEAR = 365 * 24 * 3600


class SignInView(LoginView):
    """The sign-in page; afterwards the person is where they wanted to go."""

    authentication_form = SignInForm
    template_name = "registration/sign_in.html"
    redirect_authenticated_user = True

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """With the provider that people can sign in with."""
        return super().get_context_data(provider=single_sign_on.offered(), **more)


class NewPasswordView(PasswordResetConfirmView):
    """Where the link of an administrator leads: a new password, chosen once."""

    template_name = "registration/new_password.html"
    success_url = reverse_lazy("login")


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Where an invitation leads: a new account, which is signed in at once."""
    invitation = invitations.find_open(code)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        person = invitations.accept(code=code, person=form.save(commit=False))
        login(request, person, backend=settings.ROLE_BACKEND)
        messages.success(request, "Welcome. Your account is ready.")
        return redirect("home")
    context = {"form": form, "role": Role(invitation.role).label}
    return render(request, "registration/join.html", context, status=422 if form.errors else 200)


class SignOutView(LogoutView):
    """Ends the session and shows the sign-in page; whoever came from a provider is signed out there, too."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Sign out."""
        address = single_sign_on.place_to_sign_out(request)
        response = super().post(request, *args, **kwargs)
        # A page and no redirect, since browsers follow a form's redirect to no other host.
        return render(request, "registration/signed_out.html", {"address": address}) if address else response


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the chosen theme in a cookie, for browsers without script."""
    return _preferred(request, "theme", THEMES)


@require_POST
def expert_view(request: HttpRequest) -> HttpResponse:
    """Show code, ids and JSON, or plain language alone; kept in a cookie."""
    return _preferred(request, "view", VIEWS)


def _preferred(request: HttpRequest, name: str, allowed: Sequence[str]) -> HttpResponse:
    """Back to where the person was, with a preference in a cookie when it is one of those allowed."""
    response = HttpResponseRedirect(own_address(request, request.POST.get("next", "")) or "/")
    wanted = request.POST.get(name, "")
    if wanted in allowed:
        response.set_cookie(name, wanted, max_age=YEAR, samesite="Lax", secure=request.is_secure())
    return response
