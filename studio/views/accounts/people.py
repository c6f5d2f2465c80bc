"""The page of people, for administrators: roles, invitations, links to choose a new password."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from studio.forms.accounts import InvitationForm
from studio.models import Act, Invitation, Role
from studio.services.accounts import invitations
from studio.services.accounts import people as services
from studio.views.access import SignedInRequest, requires

SHOWN_INVITATIONS = 50


def _page(request: SignedInRequest, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "section": "people",
        "people": services.everybody(),
        "roles": Role.choices,
        "invitations": Invitation.objects.select_related("invited_by", "accepted_by")[:SHOWN_INVITATIONS],
        "form": InvitationForm(),
    }
    return render(request, "account/people.html", context | more, status=status)


@requires(Act.MANAGE)
@never_cache
def people(request: SignedInRequest) -> HttpResponse:
    """Everybody with an account, and who was invited."""
    return _page(request)


@requires(Act.MANAGE)
@require_POST
@never_cache
def invitation_new(request: SignedInRequest) -> HttpResponse:
    """Create a link for a new person, and show it in this answer alone."""
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, form=form)
    record, code = invitations.invite(user=request.user, **form.cleaned_data)
    link = request.build_absolute_uri(reverse("join", args=[code]))
    about = f"Send this link to {record.note}. It works once, for {invitations.DAYS} days."
    return _page(request, 201, link=link, about=about)


@requires(Act.MANAGE)
@require_POST
def invitation_revoke(request: SignedInRequest, invitation_id: int) -> HttpResponseRedirect:
    """Close a link that nobody used yet."""
    invitations.revoke_invitation(user=request.user, invitation_id=invitation_id)
    messages.success(request, "The invitation is revoked.")
    return redirect("people")


@requires(Act.MANAGE)
@require_POST
def person_role(request: SignedInRequest, user_id: int) -> HttpResponseRedirect:
    """Give somebody another role."""
    person = services.change_role(manager=request.user, user_id=user_id, role=request.POST.get("role", ""))
    messages.success(request, f"The role of {person.username} is changed.")
    return redirect("people")


@requires(Act.MANAGE)
@require_POST
def person_active(request: SignedInRequest, user_id: int) -> HttpResponseRedirect:
    """Deactivate an account, or activate it again."""
    active = request.POST.get("active") == "yes"
    person = services.set_active(manager=request.user, user_id=user_id, active=active)
    messages.success(request, f"{person.username} is {'active' if active else 'deactivated'}.")
    return redirect("people")


@requires(Act.MANAGE)
@require_POST
@never_cache
def person_reset(request: SignedInRequest, user_id: int) -> HttpResponse:
    """Create a link with which somebody chooses a new password, and show it in this answer alone."""
    person, number, code = services.reset_code(manager=request.user, user_id=user_id)
    link = request.build_absolute_uri(reverse("password_reset", args=[number, code]))
    about = f"Send this link to {person.username}. It lets them choose a new password once, within a day."
    return _page(request, 201, link=link, about=about)
