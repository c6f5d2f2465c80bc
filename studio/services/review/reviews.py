"""Reviews: drafts, verdicts on exactly what was seen, undo, and settling what people disagree about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from studio.models import (
    Act,
    EnvironmentRecord,
    EnvironmentState,
    Flag,
    FlagReason,
    FlagSeverity,
    Review,
    ReviewDecision,
    ReviewState,
    Revision,
)
from studio.services.environments import archive, quality_gates
from studio.services.errors import Conflict, Forbidden, NotReady, Stale
from studio.services.notifications import notifications
from studio.services.projects import membership
from studio.services.review import answers, authorship, comments, flags, questions, queue
from studio.services.review.grades import require_grades, require_scores
from synthesis.documents.review import ReviewDocument
from synthesis.documents.review import ReviewedFlag as FlagDocument
from synthesis.errors import InvalidInput

LONGEST_COMMENT = 10_000


@dataclass(frozen=True, kw_only=True)
class NewFlag:
    """A flag that is raised together with a review."""

    reason: FlagReason
    severity: FlagSeverity = FlagSeverity.BLOCKING
    part: str = ""
    where: str = ""
    comment: str = ""
    evidence: Mapping[str, Any] | None = None


def may_review(*, user: User, record: EnvironmentRecord) -> str:
    """Why this person may not decide about the current revision, or "" when they may."""
    try:
        require_reviewer(user=user, record=record)
    except Forbidden as refusal:
        return refusal.message
    return ""


def require_reviewer(*, user: User, record: EnvironmentRecord) -> None:
    """Pass when this person may decide about the current revision.

    Raises:
        Forbidden: The person is no reviewer, or wrote something they would approve.
    """
    membership.require_in(user, record.project_id, Act.REVIEW)
    authorship.refuse_author(user, record)


@transaction.atomic
def save_draft(
    *,
    record: EnvironmentRecord,
    reviewer: User,
    decision: str = "",
    scores: Mapping[str, int] | None = None,
    comment: str = "",
    unit_decisions: Mapping[str, str] | None = None,
) -> Review:
    """Keep what a reviewer has so far; it counts for nothing and nobody else sees it.

    Raises:
        Forbidden: The person is no reviewer.
        InvalidInput: A score or decision is none.
    """
    membership.require_in(reviewer, record.project_id, Act.REVIEW)
    assert record.current is not None
    values = _values(record.current, decision, scores, comment, unit_decisions)
    review, _ = Review.objects.update_or_create(
        revision=record.current,
        reviewer=reviewer,
        state=ReviewState.DRAFT,
        defaults={**values, "environment": record, "updated_at": timezone.now()},
    )
    return review


def draft_of(*, record: EnvironmentRecord, reviewer: User) -> Review | None:
    """The person's draft on the current revision, or the latest on an older one, or None."""
    return (
        record.reviews.filter(reviewer=reviewer, state=ReviewState.DRAFT)
        .order_by("-revision__number")
        .first()
    )


def submit(
    *,
    record: EnvironmentRecord,
    revision_number: int,
    reviewer: User,
    decision: str,
    scores: Mapping[str, int] | None = None,
    comment: str = "",
    unit_decisions: Mapping[str, str] | None = None,
    new_flags: Sequence[NewFlag] = (),
) -> Review:
    """Decide about a revision. The same decision sent twice is one review.

    Args:
        record: The environment.
        revision_number: The revision the reviewer looked at.
        reviewer: Who decides.
        decision: One of `Decision`.
        scores: Rubric criterion to 1-5.
        comment: Why, in words.
        unit_decisions: Decisions about single units (schema, tool:..., task:...) that differ from the whole.
        new_flags: What is wrong, raised together with the verdict.

    Raises:
        Forbidden: The person is no reviewer, or wrote something they would approve.
        Stale: Another revision is current.
        NotReady: Approval, while a check does not hold or blocking flags are open.
        Conflict: Somebody else holds the item, or this person decided otherwise already.
        InvalidInput: A value cannot be used, something is approved without every grade or after less than
            WORLDWRIGHT_REVIEW_COVERAGE was seen, or refused without words.
    """
    membership.require_in(reviewer, record.project_id, Act.REVIEW)
    with transaction.atomic():
        record = _locked(record)
        revision = _current(record, revision_number)
        authorship.refuse_author(reviewer, record)
        values = _values(revision, decision, scores, comment, unit_decisions)
        require_grades(values)
        _require_words(values)
        answers.require_coverage(record=record, reviewer=reviewer, decision=decision, comment=comment)
        if (given := _given(revision, reviewer)) is not None:
            return _same_or_conflict(given, values)
        queue.claim(record=record, reviewer=reviewer)
        raised = [_raise_flag(record, reviewer, flag) for flag in new_flags]
        _require_ready(record, decision)
        review = _submit(record, revision, reviewer, values)
        Flag.objects.filter(pk__in=[flag.pk for flag in raised]).update(review=review)
        comments.send_pending(review)
        queue.release(record=record, reviewer=reviewer)
        state = quality_gates.settle(record)
        notifications.decided(review, approved=state is EnvironmentState.APPROVED)
        return review


@transaction.atomic
def withdraw(*, review: Review, user: User) -> Review:
    """Take a submitted review back; it becomes the person's draft again.

    Raises:
        Forbidden: It is somebody else's.
        Conflict: It was withdrawn or replaced, or the environment was exported with it.
    """
    if review.reviewer_id != user.pk:
        raise Forbidden("Only the reviewer can withdraw a review.")
    record = _locked(review.environment)
    if record.state == EnvironmentState.EXPORTED:
        raise Conflict("The environment was exported with this review; flag it instead.")
    Review.objects.filter(revision=review.revision, reviewer=user, state=ReviewState.DRAFT).delete()
    changed = (
        Review.objects.submitted()
        .filter(pk=review.pk)
        .update(state=ReviewState.DRAFT, is_adjudication=False, submitted_at=None, updated_at=timezone.now())
    )
    if not changed:
        raise Conflict("This review is no longer in force.")
    quality_gates.settle(record)
    review.refresh_from_db()
    return review


@transaction.atomic
def adjudicate(
    *, record: EnvironmentRecord, revision_number: int, lead: User, decision: str, comment: str
) -> Review:
    """Settle what reviewers disagree about; the lead's decision holds for the whole revision.

    Raises:
        Forbidden: The person is no lead, or wrote something they would approve.
        NotReady: The reviewers do not disagree.
        Stale, Conflict, InvalidInput: As for `submit`.
    """
    membership.require_in(lead, record.project_id, Act.ADJUDICATE)
    record = _locked(record)
    revision = _current(record, revision_number)
    authorship.refuse_author(lead, record)
    if not is_disputed(revision):
        raise NotReady("The reviewers of this revision agree, so there is no conflict to resolve.")
    if not comment.strip():
        raise InvalidInput("Give a reason: the reviewers who decided otherwise will read it.")
    _require_ready(record, decision)
    values = _values(revision, decision, None, comment, None)
    review = Review.objects.create(
        environment=record,
        revision=revision,
        reviewer=lead,
        state=ReviewState.SUBMITTED,
        is_adjudication=True,
        submitted_at=timezone.now(),
        **values,
    )
    state = quality_gates.settle(record)
    notifications.decided(review, approved=state is EnvironmentState.APPROVED)
    return review


def is_disputed(revision: Revision) -> bool:
    """Whether submitted reviews of the revision differ and nobody settled it."""
    reviews = revision.reviews.submitted()
    decisions = set(reviews.filter(is_adjudication=False).values_list("decision", flat=True))
    return len(decisions) > 1 and not reviews.filter(is_adjudication=True).exists()


def visible_reviews(*, record: EnvironmentRecord, user: User) -> QuerySet[Review]:
    """The submitted reviews this person may see, newest first.

    While several reviewers are asked, one who has not decided yet about the current revision sees only
    reviews of older ones; leads, and people who do not review it, see all.
    """
    reviews = record.reviews.submitted().select_related("reviewer", "revision")
    undecided = record.current is not None and _given(record.current, user) is None
    blind = undecided and asked_blindly(user, record)
    results: QuerySet[Review] = (
        reviews.exclude(~Q(reviewer=user), revision=record.current) if blind else reviews
    )
    return results


def visible_among(reviews: Sequence[Review], *, record: EnvironmentRecord, user: User) -> list[Review]:
    """The same among the submitted reviews of an environment that were read already, newest first."""
    current = [review for review in reviews if review.revision_id == record.current_id]
    own = any(review.reviewer_id == user.pk and not review.is_adjudication for review in current)
    blind = asked_blindly(user, record) and not own
    return [
        review
        for review in reversed(reviews)
        if not blind or review.revision_id != record.current_id or review.reviewer_id == user.pk
    ]


def asked_blindly(user: User, record: EnvironmentRecord) -> bool:
    """Whether somebody decides about an environment without seeing what others decided.

    Leads elsewhere do, too, where their role in its project is that of a reviewer.
    """
    return (
        quality_gates.needed_reviewers() > 1
        and membership.reads(user, record.project_id, Act.REVIEW)
        and not membership.reads(user, record.project_id, Act.ADJUDICATE)
    )


def stale_units(review: Review) -> list[str]:
    """Units the review covers whose content is another now, or gone."""
    current = review.environment.current
    units = current.units if current is not None else {}
    return [unit for unit, fingerprint in review.units.items() if units.get(unit) != fingerprint]


def exceptions(review: Review) -> list[tuple[str, str]]:
    """Units a review decides otherwise than the whole, each with its verdict."""
    return [(unit, text) for unit, text in review.unit_decisions.items() if text != review.decision]


def documents(revision: Revision) -> tuple[ReviewDocument, ...]:
    """The submitted reviews of a revision as they travel in a bundle: no account names."""
    parts = {part.part: part.fingerprint for part in revision.parts.all()}
    reviews = revision.reviews.submitted().order_by("id").prefetch_related("flags")
    return tuple(
        ReviewDocument(
            decision=review.decision,
            covers=parts,
            reviewer=f"reviewer {number}",
            scores=review.scores,
            comment=review.comment,
            answers=questions.answered_in(review),
            flags=tuple(
                FlagDocument(
                    reason=flag.reason, part=flag.part or None, where=flag.where, comment=flag.comment
                )
                for flag in review.flags.all()
            ),
        )
        for number, review in enumerate(reviews, start=1)
    )


def _locked(record: EnvironmentRecord) -> EnvironmentRecord:
    archive.require_in_use(EnvironmentRecord.objects.select_for_update().get(pk=record.pk))
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


def _current(record: EnvironmentRecord, number: int) -> Revision:
    assert record.current is not None
    if record.current.number != number:
        raise Stale(
            f"This is a review of revision {number}; revision {record.current.number} is current.",
            current=record.current.number,
        )
    return record.current


def _require_ready(record: EnvironmentRecord, decision: str) -> None:
    """Approval needs every check to hold and no blocking flag to be open.

    Raises:
        NotReady: One of them is missing; the text says which.
    """
    if decision != ReviewDecision.APPROVE:
        return
    if barriers := quality_gates.barriers(record):
        raise NotReady(
            f"It cannot be approved yet. {barriers}",
            remedy="Have that resolved first, or request changes.",
        )


def refuses(decisions: Iterable[str]) -> bool:
    """Whether the whole or a part is not approved."""
    return any(decision and decision != ReviewDecision.APPROVE for decision in decisions)


def _require_words(values: Mapping[str, Any]) -> None:
    """Who does not approve says what has to change: the author reads it.

    Raises:
        InvalidInput: There are no words.
    """
    decisions = [values["decision"], *values["unit_decisions"].values()]
    if refuses(decisions) and not values["comment"].strip():
        raise InvalidInput("Say under Why what must change.")


def _given(revision: Revision, reviewer: User) -> Review | None:
    given: Review | None = (
        revision.reviews.submitted().filter(reviewer=reviewer, is_adjudication=False).first()
    )
    return given


def _same_or_conflict(given: Review, values: Mapping[str, Any]) -> Review:
    if given.decision == values["decision"]:
        return given
    raise Conflict(
        f"You have already decided: {given.get_decision_display().lower()}.",
        remedy="Withdraw that review to decide again.",
    )


def _submit(record: EnvironmentRecord, revision: Revision, reviewer: User, values: dict[str, Any]) -> Review:
    now = timezone.now()
    review = Review.objects.filter(revision=revision, reviewer=reviewer, state=ReviewState.DRAFT).first()
    review = review or Review(environment=record, revision=revision, reviewer=reviewer)
    for name, value in {
        **values,
        "state": ReviewState.SUBMITTED,
        "submitted_at": now,
        "updated_at": now,
    }.items():
        setattr(review, name, value)
    try:
        with transaction.atomic():
            review.save()
    except IntegrityError:
        raise Conflict("You have just reviewed this revision.") from None
    return review


def _raise_flag(record: EnvironmentRecord, reviewer: User, flag: NewFlag) -> Flag:
    return flags.raise_flag(
        record=record,
        user=reviewer,
        reason=flag.reason,
        severity=flag.severity,
        part=flag.part,
        where=flag.where,
        comment=flag.comment,
        evidence=flag.evidence,
    )


def _values(
    revision: Revision,
    decision: str,
    scores: Mapping[str, int] | None,
    comment: str,
    unit_decisions: Mapping[str, str] | None,
) -> dict[str, Any]:
    """A review's own fields, checked.

    Raises:
        InvalidInput: One of them cannot be used; the text names it and what is allowed.
    """
    for value in filter(None, [decision, *(unit_decisions or {}).values()]):
        if value not in ReviewDecision.values:
            raise InvalidInput(
                f"{value!r} is not a decision; choose one of {', '.join(ReviewDecision.values)}."
            )
    unknown = set(unit_decisions or {}) - set(revision.units)
    if unknown:
        raise InvalidInput(f"{min(unknown)!r} is not a part of this revision.")
    if len(comment) > LONGEST_COMMENT:
        raise InvalidInput(
            f"The comment has {len(comment):,} characters; at most {LONGEST_COMMENT:,} are allowed."
        )
    require_scores(scores or {})
    return {
        "decision": decision,
        "scores": dict(scores or {}),
        "comment": comment,
        "unit_decisions": dict(unit_decisions or {}),
        "units": revision.units,
    }
