"""The page of notifications: what concerns the person, each with the place it is about."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.models import Act
from studio.services.notifications import notifications as service
from studio.views.access import SignedInRequest, requires
from studio.views.own_address import own_address

PER_PAGE = 25


@requires(Act.ACCOUNT)
def notifications(request: SignedInRequest) -> HttpResponse:
    """What a person was told, newest first."""
    unread = "unread" in request.GET
    inbox = service.inbox(request.user)
    pages = Paginator(service.inbox(request.user, unread=unread), PER_PAGE)
    context = {
        "section": "notifications",
        "pages": pages.get_page(request.GET.get("page")),
        "only_unread": unread,
        "newest": inbox.values_list("pk", flat=True).first() or 0,
    }
    return render(request, "account/notifications.html", context)


@requires(Act.ACCOUNT)
@require_safe
def notification(request: SignedInRequest, notification_id: int) -> HttpResponseRedirect:
    """Open the place that a notification is about; it counts as read from now on."""
    opened = service.mark_read(user=request.user, notification_id=notification_id)
    return redirect(own_address(request, opened.address) or opened.environment.get_absolute_url())


@requires(Act.ACCOUNT)
@require_POST
def notifications_read(request: SignedInRequest) -> HttpResponseRedirect:
    """Mark as read one notification, or all that the page could show."""
    one, newest = request.POST.get("one", ""), request.POST.get("newest", "")
    if one.isdecimal() and len(one) < 19:
        service.mark_read(user=request.user, notification_id=int(one))
    elif newest.isdecimal() and len(newest) < 19:
        count = service.mark_all_read(user=request.user, newest=int(newest))
        messages.success(request, f"{count} marked as read.")
    else:
        messages.error(request, "Nothing was marked: choose a notification.")
    return redirect("notifications")
