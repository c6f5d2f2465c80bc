"""Threads of comments at one place, as every page that has a place shows them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from studio.forms.reviews import CommentForm
from studio.models import Act, Comment, EnvironmentRecord
from studio.services import comments
from studio.services.comments import is_outdated
from studio.services.refusals import Missing
from studio.views.access import SignedInRequest, requires
from studio.views.environment_shell import find


@require_POST
@requires(Act.COMMENT)
def comment_new(request: SignedInRequest, name: str) -> HttpResponse:
    """Say something about a place, or answer."""
    record = find(name)
    form = CommentForm(request.POST)
    back = request.POST.get("next", "")
    if not form.is_valid():
        messages.error(request, "A comment needs words, at most 10,000 characters of them.")
        return redirect(own_address(request, back) or record.get_absolute_url())
    values = form.cleaned_data
    parent = (
        Comment.objects.filter(pk=values["parent"], environment=record).first() if values["parent"] else None
    )
    comments.add_comment(
        record=record,
        author=request.user,
        body=values["body"],
        anchor_kind=values["anchor_kind"] or "environment",
        anchor=values["anchor"],
        snapshot=values["snapshot"],
        unit=values["unit"],
        parent=parent,
    )
    return redirect((own_address(request, back) or record.get_absolute_url()) + "#comments")


@require_POST
@requires(Act.COMMENT)
def comment_resolve(request: SignedInRequest, name: str, comment_id: int) -> HttpResponse:
    """Mark a thread as settled, or open it again."""
    found = Comment.objects.filter(pk=comment_id, environment__name=name).first()
    if found is None:
        raise Missing("There is no such comment.")
    comments.resolve(comment=found, user=request.user, resolved=found.resolved_at is None)
    back = own_address(request, request.POST.get("next", ""))
    return redirect((back or find(name).get_absolute_url()) + "#comments")


def threads(
    record: EnvironmentRecord,
    *,
    kind: str,
    anchor: str = "",
    words: str,
    unit: str = "",
    snapshot: str = "",
    everywhere: bool = False,
) -> dict[str, Any]:
    """The context of `reviews/_threads.html`.

    Args:
        record: The environment.
        kind: One of `AnchorKind`.
        anchor: The place.
        words: What the place is called in the form's label.
        unit: The unit the place belongs to; when it changes, threads are outdated.
        snapshot: What stands there now; kept with a new thread.
        everywhere: Whether threads of all places are shown, each with its place.
    """
    found = record.comments.filter(parent__isnull=True)
    if not everywhere:
        found = found.filter(anchor_kind=kind, anchor=anchor)
    shown = found.select_related("author", "revision").prefetch_related(
        Prefetch("replies", queryset=Comment.objects.select_related("author"))
    )
    return {
        "comment_record": record,
        "anchor_kind": kind,
        "anchor": anchor,
        "anchor_words": words,
        "unit": unit,
        "snapshot": snapshot,
        "show_place": everywhere,
        "threads": [
            {
                "comment": comment,
                "replies": list(comment.replies.all()),
                "outdated": is_outdated(comment=comment, record=record),
            }
            for comment in shown
        ],
    }


def own_address(request: HttpRequest, address: str) -> str:
    """The address when it is one of ours, else nothing."""
    ours = url_has_allowed_host_and_scheme(address, allowed_hosts={request.get_host()})
    return address if address and ours else ""
