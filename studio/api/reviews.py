"""Reviews for programs: the queue, verdicts, flags."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, Router, Schema, Status
from ninja.pagination import paginate

from studio.api.authentication import caller, needs
from studio.api.environments import EnvironmentOut
from studio.api.runs import RunOut
from studio.models import (
    Act,
    EnvironmentRecord,
    Flag,
    FlagReason,
    FlagSeverity,
    Review,
    ReviewDecision,
)
from studio.services.environments import environments
from studio.services.errors import Missing
from studio.services.review import flags, questions, queue, reviews
from studio.services.synthesis import corrections

router = Router()


class FlagIn(Schema):
    """Something that is wrong."""

    reason: FlagReason
    severity: FlagSeverity = FlagSeverity.BLOCKING
    part: str = ""
    where: str = ""
    comment: str = ""
    evidence: dict[str, Any] = Field(default_factory=dict)


class FlagOut(Schema):
    """A flag in its present state."""

    id: int
    revision: int = Field(alias="revision.number")
    reason: str
    severity: str
    part: str
    where: str
    comment: str
    evidence: dict[str, Any]
    state: str
    resolution: str
    raised_by: str = Field(alias="raised_by.username")
    created_at: datetime


class ReviewIn(Schema):
    """A verdict on the revision that was looked at."""

    revision: int
    decision: ReviewDecision
    scores: dict[str, int] = Field(default_factory=dict)
    comment: str = ""
    unit_decisions: dict[str, ReviewDecision] = Field(default_factory=dict)
    flags: list[FlagIn] = Field(default_factory=list)


class ReviewOut(Schema):
    """A submitted review."""

    id: int
    revision: int = Field(alias="revision.number")
    reviewer: str = Field(alias="reviewer.username")
    decision: str
    scores: dict[str, int]
    comment: str
    unit_decisions: dict[str, str]
    is_adjudication: bool
    submitted_at: datetime | None


class AnswerOut(Schema):
    """What somebody answered to a question."""

    by: str
    """ "person" or "judge"."""
    reviewer: str
    answer: Literal["yes", "no", "unsure"]
    note: str
    quotes: list[str]
    """Of a judge: words of the environment on which it rests."""


class QuestionOut(Schema):
    """What code can only doubt, with the answers that you may see; "yes" finds nothing wrong."""

    id: str
    kind: str
    text: str
    because: str
    part: str
    where: str
    rows: list[dict[str, Any]]
    doubt: float
    answers: list[AnswerOut]


class AnswerIn(Schema):
    """An answer to one question; "no" says in the note what is wrong."""

    question: str
    answer: Literal["yes", "no", "unsure"]
    note: str = ""


class SendBackIn(Schema):
    """Which revision was looked at, and who is to correct it."""

    revision: int
    author: str = "model"


class SettlementIn(Schema):
    """How a flag was settled."""

    resolution: str


@router.get(
    "/queue",
    response=list[EnvironmentOut],
    summary="Your review queue, riskiest first",
    auth=needs(Act.REVIEW),
)
@paginate
def read_queue(request: HttpRequest) -> QuerySet[EnvironmentRecord]:
    """Proved environments that you did not write and have not decided about."""
    return queue.queue_for(caller(request))


@router.get(
    "/environments/{name}", response=list[ReviewOut], summary="The reviews of an environment that you may see"
)
@paginate
def list_reviews(request: HttpRequest, name: str) -> QuerySet[Review]:
    """Reviews of the current revision by others are hidden until you decided, where several are asked."""
    return reviews.visible_reviews(record=environments.find(name), user=caller(request))


@router.post(
    "/environments/{name}",
    response={201: ReviewOut},
    summary="Submit a review of a revision",
    auth=needs(Act.REVIEW),
)
def submit_review(request: HttpRequest, name: str, body: ReviewIn) -> Status[Any]:
    """The same decision sent twice is one review; a decision on an older revision is refused."""
    review = reviews.submit(
        record=environments.find(name),
        revision_number=body.revision,
        reviewer=caller(request),
        decision=body.decision,
        scores=body.scores,
        comment=body.comment,
        unit_decisions=body.unit_decisions,
        new_flags=[reviews.NewFlag(**flag.model_dump()) for flag in body.flags],
    )
    return Status(201, review)


@router.get(
    "/environments/{name}/questions",
    response=list[QuestionOut],
    summary="What code cannot see: the questions of the proof, the most doubtful first",
)
def list_questions(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    """With your own answers, those of reviews that you may see, and a judge model's where it was asked."""
    return _questions(environments.find(name), caller(request))


@router.post(
    "/environments/{name}/questions",
    response=list[QuestionOut],
    summary="Answer a question",
    auth=needs(Act.REVIEW),
)
def answer_question(request: HttpRequest, name: str, body: AnswerIn) -> list[dict[str, Any]]:
    """A new answer replaces your earlier one with its flag; "no" becomes a flag."""
    record, user = environments.find(name), caller(request)
    questions.answer(record=record, reviewer=user, question=body.question, answer=body.answer, note=body.note)
    return _questions(record, user)


def _questions(record: EnvironmentRecord, user: User) -> list[dict[str, Any]]:
    visible = list(reviews.visible_reviews(record=record, user=user))
    return [
        {**each.question.model_dump(mode="json"), "answers": [*_answers(each, user)]}
        for each in questions.asked(record=record, user=user, visible=visible)
    ]


def _answers(asked: questions.AskedQuestion, user: User) -> Iterator[dict[str, Any]]:
    own = [(user, asked.answer, asked.own.note)] if asked.own else []
    for reviewer, answer, note in [*own, *asked.by_others]:
        yield {"by": "person", "reviewer": reviewer.username, "answer": answer, "note": note, "quotes": []}
    if asked.judge is not None:
        yield {
            "reviewer": "",
            **asked.judge.model_dump(mode="json", include={"by", "answer", "note", "quotes"}),
        }


@router.post(
    "/environments/{name}/send-back",
    response={202: RunOut},
    summary="Send open flags back to the authors of the parts",
    auth=needs(Act.REVIEW),
)
def send_back(request: HttpRequest, name: str, body: SendBackIn) -> Status[Any]:
    """The correction is a new revision, proved again; when it cannot be mended the flags reopen."""
    run = corrections.send_back(
        record=environments.find(name),
        revision_number=body.revision,
        sender=caller(request),
        author=body.author,
    )
    return Status(202, run)


@router.get(
    "/environments/{name}/flags", response=list[FlagOut], summary="The flags of an environment, newest first"
)
@paginate
def list_flags(request: HttpRequest, name: str) -> QuerySet[Flag]:
    """Open and settled ones."""
    return environments.find(name).flags.select_related("revision", "raised_by")


@router.post(
    "/environments/{name}/flags",
    response={201: FlagOut},
    summary="Raise a flag",
    auth=needs(Act.COMMENT),
)
def raise_flag(request: HttpRequest, name: str, body: FlagIn) -> Status[Any]:
    """Open blocking flags prevent approval."""
    flag = flags.raise_flag(record=environments.find(name), user=caller(request), **body.model_dump())
    return Status(201, flag)


@router.post(
    "/flags/{int:flag_id}/settle",
    response=FlagOut,
    summary="Resolve or withdraw a flag",
    auth=needs(Act.COMMENT),
)
def settle_flag(request: HttpRequest, flag_id: int, body: SettlementIn) -> Flag:
    """Your own is withdrawn; another person's is resolved by a lead, with a reason."""
    user = caller(request)
    flag = Flag.objects.select_related("revision", "raised_by").filter(pk=flag_id).first()
    if flag is None:
        raise Missing(f"There is no flag {flag_id}.")
    return flags.settle_flag(flag=flag, user=user, resolution=body.resolution)
