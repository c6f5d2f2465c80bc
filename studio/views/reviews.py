"""Reviewing: the queue, the claim, the verdict form, flags and comments."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from studio.forms.reviews import CommentForm, FlagForm, ReviewForm, SettleForm
from studio.models import Act, Comment, EnvironmentRecord, Flag, Review
from studio.services import comments, flags, ladder, queue, reviews
from studio.services.accounts import allowed
from studio.services.refusals import Missing
from studio.views.access import SignedInRequest, requires
from studio.views.environment_shell import find, open_flags, page
from studio.views.threads import threads


@requires(Act.VIEW)
def review_queue(request: SignedInRequest) -> HttpResponse:
    """What waits for this person, riskiest first."""
    waiting = list(queue.queue_for(request.user).prefetch_related("claims__reviewer")[:100])
    mine = request.user.reviews.select_related("environment", "revision").order_by("-updated_at")[:10]
    context = {
        "section": "queue",
        "items": [(record, queue.standing_claims(record)) for record in waiting],
        "mine": mine,
        "may_review": allowed(request.user, Act.REVIEW),
    }
    return render(request, "reviews/queue.html", context)


@require_POST
@requires(Act.REVIEW)
def claim_next(request: SignedInRequest) -> HttpResponse:
    """Take the item that needs this person most."""
    record = queue.claim_next(reviewer=request.user)
    messages.success(request, f"{record.title} is yours for now.")
    return redirect("environment_review", name=record.name)


@require_POST
@requires(Act.REVIEW)
def claim(request: SignedInRequest, name: str) -> HttpResponse:
    """Take this item."""
    record = find(name)
    queue.claim(record=record, reviewer=request.user)
    return redirect("environment_review", name=name)


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
    record = find(name)
    return _review_page(request, record, _bound_to_draft(record, request), FlagForm())


@require_POST
@requires(Act.REVIEW)
def review_submit(request: SignedInRequest, name: str) -> HttpResponse:
    """Decide, or keep the draft."""
    record = find(name)
    drafting = "draft" in request.POST
    form = ReviewForm(request.POST, needs_decision=not drafting)
    if not form.is_valid():
        return _review_page(request, record, form, FlagForm(), status=422)
    values: dict[str, Any] = {
        "record": record,
        "reviewer": request.user,
        "decision": form.cleaned_data["decision"],
        "scores": form.scores(),
        "comment": form.cleaned_data["comment"],
    }
    if drafting:
        reviews.save_draft(**values)
        messages.success(request, "Your draft is kept. Nobody else sees it.")
    else:
        review = reviews.submit(revision_number=form.cleaned_data["revision"], **values)
        messages.success(request, f"Your verdict stands: {review.get_decision_display().lower()}.")
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
    messages.info(request, "Your verdict is a draft again.")
    return redirect("environment_review", name=name)


@require_POST
@requires(Act.ADJUDICATE)
def review_adjudicate(request: SignedInRequest, name: str) -> HttpResponse:
    """Settle what reviewers disagree about."""
    record = find(name)
    form = ReviewForm(request.POST)
    if not form.is_valid():
        return _review_page(request, record, form, FlagForm(), status=422)
    reviews.adjudicate(
        record=record,
        revision_number=form.cleaned_data["revision"],
        lead=request.user,
        decision=form.cleaned_data["decision"],
        comment=form.cleaned_data["comment"],
    )
    messages.success(request, "The conflict is settled.")
    return redirect("environment_review", name=name)


@requires(Act.COMMENT)
def flag_new(request: SignedInRequest, name: str) -> HttpResponse:
    """Say that something is wrong; the place comes with the address."""
    record = find(name)
    evidence = _evidence(request)
    initial = {
        "reason": request.GET.get("reason", "tool_bug"),
        "severity": "blocking",
        "part": request.GET.get("part", ""),
        "where": request.GET.get("where", ""),
        "evidence": evidence,
    }
    form = FlagForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        values = {**form.cleaned_data, "evidence": form.cleaned_data["evidence"] or {}}
        flag = flags.raise_flag(record=record, user=request.user, **values)
        messages.success(request, f"Flagged: {flag.get_reason_display().lower()}.")
        return redirect(_back(request) or record.get_absolute_url())
    context = {"form": form, "evidence": evidence, "back": _back(request)}
    response = page(request, record, "environment_review", "reviews/flag.html", context)
    response.status_code = 422 if form.is_bound else 200
    return response


@require_POST
@requires(Act.COMMENT)
def flag_settle(request: SignedInRequest, name: str, flag_id: int) -> HttpResponse:
    """Withdraw one's own flag, or settle another's as a lead."""
    flag = Flag.objects.select_related("environment").filter(pk=flag_id, environment__name=name).first()
    if flag is None:
        raise Missing("There is no such flag.")
    form = SettleForm(request.POST)
    words = form.cleaned_data["resolution"] if form.is_valid() else ""
    settled = flags.settle_flag(flag=flag, user=request.user, resolution=words)
    messages.success(request, f"The flag is {settled.get_state_display().lower()}.")
    return redirect("environment_review", name=name)


@require_POST
@requires(Act.COMMENT)
def comment_new(request: SignedInRequest, name: str) -> HttpResponse:
    """Say something about a place, or answer."""
    record = find(name)
    form = CommentForm(request.POST)
    back = request.POST.get("next", "")
    if not form.is_valid():
        messages.error(request, "A comment needs words, at most 10,000 characters of them.")
        return redirect(_safe(request, back) or record.get_absolute_url())
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
    return redirect((_safe(request, back) or record.get_absolute_url()) + "#comments")


@require_POST
@requires(Act.COMMENT)
def comment_resolve(request: SignedInRequest, name: str, comment_id: int) -> HttpResponse:
    """Mark a thread as settled, or open it again."""
    found = Comment.objects.filter(pk=comment_id, environment__name=name).first()
    if found is None:
        raise Missing("There is no such comment.")
    comments.resolve(comment=found, user=request.user, resolved=found.resolved_at is None)
    back = _safe(request, request.POST.get("next", ""))
    return redirect((back or find(name).get_absolute_url()) + "#comments")


def _bound_to_draft(record: EnvironmentRecord, request: SignedInRequest) -> ReviewForm:
    assert record.current is not None
    draft = reviews.draft_of(record=record, reviewer=request.user)
    initial: dict[str, Any] = {"revision": record.current.number}
    if draft is not None:
        initial |= {"decision": draft.decision, "comment": draft.comment}
        initial |= {f"score_{name}": str(score) for name, score in draft.scores.items()}
    return ReviewForm(initial=initial)


def _review_page(
    request: SignedInRequest,
    record: EnvironmentRecord,
    form: ReviewForm,
    flag_form: FlagForm,
    *,
    status: int = 200,
) -> HttpResponse:
    assert record.current is not None
    holders = queue.standing_claims(record)
    mine = next((held for held in holders if held.reviewer_id == request.user.pk), None)
    full = len(holders) >= ladder.needed_reviewers() and mine is None
    visible = list(reviews.visible_reviews(record=record, user=request.user))
    covered = ladder.coverage(record)
    context = {
        "form": form,
        "flag_form": flag_form,
        "why_not": reviews.may_review(user=request.user, record=record),
        "holders": holders,
        "mine": mine,
        "held_by_others": holders[0] if full else None,
        "given": next(
            (r for r in visible if r.reviewer_id == request.user.pk and r.revision_id == record.current.pk),
            None,
        ),
        "reviews": [(review, reviews.stale_units(review)) for review in visible],
        "needed": ladder.needed_reviewers(),
        "units": [(unit, len(people)) for unit, people in covered.items()],
        "flags": open_flags(record),
        "settled": record.flags.exclude(pk__in=open_flags(record).values("pk")).select_related(
            "raised_by", "resolved_by"
        )[:20],
        "disputed": reviews.is_disputed(record.current),
        "report": ladder.latest_report(record.current),
        "tries": record.current.trajectories.all()[:60],
        **threads(record, kind="environment", words="environment", everywhere=True),
    }
    response = page(request, record, "environment_review", "reviews/review.html", context)
    response.status_code = status
    return response


def _evidence(request: HttpRequest) -> dict[str, Any]:
    """What the address says was seen: a step, a row or a task."""
    shown = {
        name: request.GET[name]
        for name in ("trajectory", "step", "table", "key", "tool", "task", "arguments", "status")
        if name in request.GET
    }
    return {name: int(value) if value.isdecimal() else value for name, value in shown.items()}


def _back(request: HttpRequest) -> str:
    return _safe(request, request.POST.get("next") or request.GET.get("next", ""))


def _safe(request: HttpRequest, address: str) -> str:
    """The address when it is one of ours, else nothing."""
    ours = url_has_allowed_host_and_scheme(address, allowed_hosts={request.get_host()})
    return address if address and ours else ""
