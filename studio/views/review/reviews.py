"""Reviewing: the queue, the claim, the verdict on the whole and on each part, conflicts, sending back."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from studio.forms.reviews import ReviewForm
from studio.models import Act, EnvironmentRecord, Review
from studio.services.accounts.accounts import allowed
from studio.services.environments import change_lists
from studio.services.errors import Conflict, Missing, NotReady, Stale
from studio.services.review import agreement, flags, queue, reviews
from studio.services.review import conflicts as disputes
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find
from studio.views.review.review_page import review_page
from synthesis.errors import InvalidInput

MOST_WAITING = 100
MOST_CONFLICTS = 100
REVIEWS_COMPARED = 5_000
"""Newest submitted reviews over which agreement is computed."""


@requires(Act.VIEW)
def review_queue(request: SignedInRequest) -> HttpResponse:
    """What waits for this person: first what came back to them, then the riskiest; of one field if asked."""
    everything = flags.with_blocking(queue.queue_for(request.user))
    chosen = request.GET.get("field", "").strip().lower()
    waiting = list(queue.in_field(everything, chosen)[:MOST_WAITING])
    lists = change_lists.of_each(waiting)
    mine = request.user.reviews.select_related("environment", "revision").order_by("-updated_at")[:10]
    context = {
        "section": "queue",
        "items": [
            {
                "record": record,
                "holders": queue.active_claims(record),
                "seen": queue.seen_before(record),
                "reasons": record.risk_reasons[:4],
                "changes": lists.get(record.pk),
            }
            for record in waiting
        ],
        "fields": queue.fields_of(everything, request.user),
        "chosen": chosen,
        "mine": mine,
        "may_review": allowed(request.user, Act.REVIEW),
    }
    return render(request, "reviews/queue.html", context)


@requires(Act.VIEW)
def conflicts(request: SignedInRequest) -> HttpResponse:
    """Environments whose reviewers disagree, and how far people agree in general."""
    texts = Review.objects.submitted().order_by("-id")[:REVIEWS_COMPARED]
    compared = list(texts.only("revision_id", "decision", "scores", "is_adjudication"))
    grades = agreement.of_scores([review for review in compared if not review.is_adjudication])
    context = {
        "section": "queue",
        "conflicts": disputes.conflicts_for(request.user)[:MOST_CONFLICTS],
        "decisions": agreement.of_decisions(compared),
        "grades": sorted(grades.items()),
        "may_settle": allowed(request.user, Act.ADJUDICATE),
    }
    return render(request, "reviews/conflicts.html", context)


@require_POST
@requires(Act.REVIEW)
def claim_next(request: SignedInRequest) -> HttpResponse:
    """Take the item that needs this person most, and begin its guided review."""
    record = queue.claim_next(reviewer=request.user, field=request.POST.get("field", "").strip().lower())
    messages.success(request, f"{record.title} is now yours to review.")
    return redirect("walk_begin", name=record.name)


@require_POST
@requires(Act.REVIEW)
def claim(request: SignedInRequest, name: str) -> HttpResponse:
    """Take this item."""
    record = find(name)
    queue.claim(record=record, reviewer=request.user)
    return redirect("walk_begin" if "walk" in request.POST else "environment_review", name=name)


@require_POST
@requires(Act.REVIEW)
def release(request: SignedInRequest, name: str) -> HttpResponse:
    """Let go of this item."""
    queue.release(record=find(name), reviewer=request.user)
    messages.info(request, "Others can take it now.")
    return redirect("queue")


@requires(Act.VIEW)
def environment_review(request: SignedInRequest, name: str) -> HttpResponse:
    """The verdict form with everything a verdict rests on."""
    return review_page(request, find(name))


@require_POST
@requires(Act.REVIEW)
def review_submit(request: SignedInRequest, name: str) -> HttpResponse:
    """Decide, or keep the draft; a verdict on an older revision comes back with every word of it."""
    record = find(name)
    assert record.current is not None
    drafting = "draft" in request.POST
    if not drafting:
        reviews.require_reviewer(user=request.user, record=record)
    form = ReviewForm(request.POST, needs_decision=not drafting, units=record.current.units)
    if not form.is_valid():
        return review_page(request, record, form, status=422)
    values = _verdict(record, request, form)
    if drafting:
        reviews.save_draft(**values)
        messages.success(request, "Your draft is saved. Nobody else sees it.")
        return redirect("environment_review", name=name)
    try:
        review = reviews.submit(revision_number=form.cleaned_data["revision"], **values)
    except Stale as refused:
        # What was typed is a draft on the current revision now: reading what changed loses nothing of it.
        reviews.save_draft(**values)
        fields = request.POST.copy()
        fields["revision"] = str(refused.current)
        again = ReviewForm(fields, units=record.current.units)
        stale = {"refused": refused, "seen": form.cleaned_data["revision"]}
        return review_page(request, record, again, status=refused.status, stale=stale)
    except InvalidInput as error:
        reviews.save_draft(**values)
        form.add_error("comment", str(error))
        return review_page(request, record, form, status=422)
    except (NotReady, Conflict) as refused:
        reviews.save_draft(**values)
        form.add_error(None, f"{refused.message} {refused.remedy} What you wrote is saved as your draft.")
        return review_page(request, record, form, status=refused.status)
    messages.success(request, f"Your review is submitted: {review.get_decision_display().lower()}.")
    return redirect("environment_review", name=name)


@require_POST
@requires(Act.REVIEW)
def review_withdraw(request: SignedInRequest, name: str, review_id: int) -> HttpResponse:
    """Take a verdict back; it becomes a draft again."""
    review = Review.objects.select_related("environment__current", "revision").filter(
        pk=review_id, environment__name=name
    ).first()  # fmt: skip
    if review is None:
        raise Missing("There is no such review.")
    reviews.withdraw(review=review, user=request.user)
    messages.info(request, "Your review is a draft again.")
    return redirect("environment_review", name=name)


@require_POST
@requires(Act.ADJUDICATE)
def review_adjudicate(request: SignedInRequest, name: str) -> HttpResponse:
    """Settle what reviewers disagree about; what cannot be taken comes back with every word."""
    record = find(name)
    form = ReviewForm(request.POST, needs_grades=False)
    if not form.is_valid():
        return review_page(request, record, settling=form, status=422)
    seen = form.cleaned_data["revision"]
    try:
        reviews.adjudicate(
            record=record,
            revision_number=seen,
            lead=request.user,
            decision=form.cleaned_data["decision"],
            comment=form.cleaned_data["comment"],
        )
    except Stale as refused:
        stale = {"refused": refused, "seen": seen}
        return review_page(request, record, settling=form, status=refused.status, stale=stale)
    except InvalidInput as error:
        form.add_error("comment", str(error))
        return review_page(request, record, settling=form, status=422)
    except (NotReady, Conflict) as refused:
        form.add_error(None, f"{refused.message} {refused.remedy}".strip())
        return review_page(request, record, settling=form, status=refused.status)
    messages.success(request, "The conflict is resolved.")
    return redirect("environment_review", name=name)


def _verdict(record: EnvironmentRecord, request: SignedInRequest, form: ReviewForm) -> dict[str, Any]:
    return {
        "record": record,
        "reviewer": request.user,
        "decision": form.cleaned_data["decision"],
        "scores": form.scores(),
        "comment": form.cleaned_data["comment"],
        "unit_decisions": form.unit_decisions(),
    }
