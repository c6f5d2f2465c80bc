"""The account page: one's role, fields of expertise, password and tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from studio.forms.accounts import ExpertiseForm, MailsForm, TokenForm
from studio.models import Act
from studio.services.accounts import accounts, people
from studio.services.notifications import notifications
from studio.services.projects import membership
from studio.views.access import SignedInRequest, requires


def _page(request: SignedInRequest, status: int = 200, **more: Any) -> HttpResponse:
    known = ", ".join(people.expertise_of(request.user))
    context = {
        "section": "account",
        "tokens": request.user.api_tokens.select_related("project"),
        "expertise": ExpertiseForm(initial={"fields_known": known}),
        "form": TokenForm(projects=membership.projects_of(request.user)),
        "mails_form": MailsForm(
            initial={"mails": notifications.mailed_to(request.user), "email": request.user.email}
        ),
        "can_mail": bool(settings.EMAIL_HOST),
    }
    return render(request, "account/account.html", context | more, status=status)


@requires(Act.ACCOUNT)
@never_cache
def account(request: SignedInRequest) -> HttpResponse:
    """Who one is to the studio, and which programs act in one's name."""
    return _page(request)


@requires(Act.ACCOUNT)
@require_POST
def account_expertise(request: SignedInRequest) -> HttpResponse:
    """Replace one's fields of expertise."""
    form = ExpertiseForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, expertise=form)
    people.set_expertise(user=request.user, fields=form.cleaned_data["fields_known"])
    messages.success(request, "Fields of expertise saved.")
    return redirect("account")


@requires(Act.ACCOUNT)
@require_POST
def account_mails(request: SignedInRequest) -> HttpResponse:
    """Choose whether notifications come by e-mail, too, and to which address."""
    form = MailsForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, mails_form=form)
    notifications.set_mailed(
        user=request.user, mails=form.cleaned_data["mails"], email=form.cleaned_data["email"]
    )
    messages.success(request, "Notification settings saved.")
    return redirect("account")


@requires(Act.ACCOUNT)
@require_POST
@never_cache
def account_token_new(request: SignedInRequest) -> HttpResponse:
    """Create a token, and show it in this answer alone."""
    form = TokenForm(request.POST, projects=membership.projects_of(request.user))
    if not form.is_valid():
        return _page(request, 422, form=form)
    slug = form.cleaned_data.get("only_project")
    record, token = accounts.issue_token(
        user=request.user,
        name=form.cleaned_data["name"],
        scopes=form.cleaned_data["scopes"],
        project=membership.find(request.user, slug) if slug else None,
        expires_at=timezone.now() + timedelta(days=form.cleaned_data["days"]),
    )
    return _page(request, 201, new_token=token, new_record=record)


@requires(Act.ACCOUNT)
@require_POST
def account_token_revoke(request: SignedInRequest, token_id: int) -> HttpResponseRedirect:
    """End one of one's tokens."""
    accounts.revoke_token(user=request.user, token_id=token_id)
    messages.success(request, "The token is revoked.")
    return redirect("account")


@requires(Act.ACCOUNT)
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def account_password(request: SignedInRequest) -> HttpResponse:
    """Choose a new password; other sessions of the person end."""
    form = PasswordChangeForm(request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        update_session_auth_hash(request, form.save())
        messages.success(request, "Your password is changed. Other sessions were signed out.")
        return redirect("account")
    status = 422 if form.errors else 200
    return render(request, "account/password.html", {"form": form, "section": "account"}, status=status)
