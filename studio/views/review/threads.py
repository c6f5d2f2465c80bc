"""Threads of comments: say something about a place, answer, settle."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from studio.forms.reviews import CommentForm
from studio.models import Act, Comment
from studio.services.errors import Missing
from studio.services.review import comments
from studio.services.review.flags import LONGEST_COMMENT
from studio.templatetags.shell import UNSENT
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find
from studio.views.own_address import own_address

MOST_UNSENT = 200_000
"""Characters of a refused comment that come back with its form."""


@require_POST
@requires(Act.COMMENT)
def comment_new(request: SignedInRequest, name: str) -> HttpResponse:
    """Say something about a place, or answer."""
    record = find(name)
    form = CommentForm(request.POST)
    back = request.POST.get("next", "")
    if not form.is_valid():
        messages.error(request, _refusal(form))
        words = request.POST.get("body", "").strip()
        if 0 < len(words) <= MOST_UNSENT:
            request.session[UNSENT] = {"form": _form_name(request.POST), "text": words}
        return redirect(own_address(request, back) or record.get_absolute_url())
    values = form.cleaned_data
    parent = (
        Comment.objects.visible_to(request.user.pk).filter(pk=values["parent"], environment=record).first()
        if values["parent"]
        else None
    )
    address = own_address(request, back) or record.get_absolute_url()
    place = values["place"]
    comments.add_comment(
        record=record,
        author=request.user,
        body=values["body"],
        anchor_kind=place.get("kind") or values["anchor_kind"] or "environment",
        anchor=place.get("anchor", values["anchor"]),
        snapshot=place.get("snapshot", values["snapshot"]),
        unit=values["unit"],
        parent=parent,
        address=address,
        pending=values["pending"],
    )
    return redirect(f"{address}#comments")


def _refusal(form: CommentForm) -> str:
    if "place" in form.errors:
        return str(form.errors["place"][0])
    length = len(form["body"].value() or "")
    if length > LONGEST_COMMENT:
        return (
            f"A comment has at most {LONGEST_COMMENT:,} characters, and yours has {length:,}. "
            "It is still in the form."
        )
    return f"A comment must have 1 to {LONGEST_COMMENT:,} characters."


def _form_name(sent: QueryDict) -> str:
    """What the page calls the form that was sent."""
    if parent := sent.get("parent"):
        return f"answer-{parent}"
    return f"comment {sent.get('anchor_kind', '')} {sent.get('anchor', '')}"


@require_POST
@requires(Act.COMMENT)
def comment_resolve(request: SignedInRequest, name: str, comment_id: int) -> HttpResponse:
    """Mark a thread as settled, or open it again."""
    visible = Comment.objects.visible_to(request.user.pk)
    comment = visible.filter(pk=comment_id, environment__name=name).first()
    if comment is None:
        raise Missing("There is no such comment.")
    comments.resolve(comment=comment, user=request.user, resolved=comment.resolved_at is None)
    back = own_address(request, request.POST.get("next", ""))
    return redirect((back or find(name).get_absolute_url()) + "#comments")
