"""Sessions that ended while a form was open: reported without leaving the page, and renewed in place."""

from __future__ import annotations

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from studio.forms.accounts import SignInForm


@never_cache
@require_http_methods(["GET", "POST"])
def session(request: HttpRequest) -> HttpResponse:
    """Nothing for somebody who is signed in, else the sign-in form for the page's dialog.

    The header `X-Person` names the account, so that a page notices when it is another one than before.
    """
    if request.method == "POST":
        form = SignInForm(request, request.POST)
        if form.is_valid():
            login(request, form.get_user())
            return _signed_in(request)
    elif request.user.is_authenticated:
        return _signed_in(request)
    else:
        form = SignInForm(request)
    return render(request, "registration/_sign_in_here.html", {"form": form})


def _signed_in(request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=204, headers={"X-Person": str(request.user.pk)})
