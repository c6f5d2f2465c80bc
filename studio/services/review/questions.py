"""Questions: what the proof could only doubt, answered by reviewers and, where one is configured, by a judge
model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from django.contrib.auth.models import User

from studio.models import (
    AnswerKind,
    CheckReportRecord,
    CheckResultRecord,
    EnvironmentRecord,
    FlagReason,
    QualityRecord,
    Review,
    Revision,
    UnitAnswer,
)
from studio.services.errors import Missing
from studio.services.review import answers
from studio.services.review.answers import NotedPlace
from synthesis.documents.question import AnsweredQuestion, Question, QuestionAnswerKind
from synthesis.errors import InvalidInput

KINDS: Mapping[str, AnswerKind] = {
    "yes": AnswerKind.RIGHT,
    "no": AnswerKind.WRONG,
    "unsure": AnswerKind.UNSURE,
}
"""What is answered to how it is stored: every question is put so that "yes" finds nothing wrong."""
_REASONS = {
    "policy": FlagReason.POLICY_WRONG,
    "seed_data": FlagReason.DATA_WRONG,
    "tools": FlagReason.TOOL_BUG,
    "schema": FlagReason.SCHEMA_WRONG,
}


@dataclass(frozen=True)
class AskedQuestion:
    """One question with what was answered to it.

    Attributes:
        question: As the proof put it.
        own: The person's answer to this very content, if any.
        others: Answers of reviews that the person may see, each with its reviewer.
        judge: What the judge model said, if it was asked.
    """

    question: Question
    own: UnitAnswer | None
    others: tuple[UnitAnswer, ...] = ()
    judge: AnsweredQuestion | None = None

    @property
    def by_others(self) -> list[tuple[User, str, str]]:
        """Reviewer, answer in words and note of each of the others."""
        return [(each.reviewer, in_words(each), each.note) for each in self.others]

    @property
    def answer(self) -> str:
        """The person's own answer: yes, no, unsure or ""."""
        return in_words(self.own) if self.own is not None else ""


def in_words(answer: UnitAnswer) -> str:
    """An answer as it was given: yes, no, unsure or ""."""
    return next((word for word, kind in KINDS.items() if kind == answer.answer), "")


def questions_of(revision: Revision) -> tuple[Question, ...]:
    """What the proof of a revision asks, the most doubtful first; () for one that is not proved."""
    newest = CheckReportRecord.objects.filter(revision=revision).values("pk")[:1]
    asked = CheckResultRecord.objects.filter(report__in=newest).values_list("questions", flat=True)
    return tuple(Question.model_validate(each) for questions in asked for each in questions)


def asked(
    *, record: EnvironmentRecord, user: User, visible: Sequence[Review] = ()
) -> tuple[AskedQuestion, ...]:
    """Every question about the current revision with its answers.

    Args:
        record: The environment.
        user: Whose own answers are given.
        visible: Reviews that the person may see; answers of their reviewers are given, too.
    """
    assert record.current is not None
    questions = questions_of(record.current)
    if not questions:
        return ()
    people = {review.reviewer_id for review in visible if review.revision_id == record.current_id}
    by_content: dict[tuple[str, str], list[UnitAnswer]] = {}
    for answer in _answers(record, [user.pk, *people]):
        by_content.setdefault((answer.unit, answer.fingerprint), []).append(answer)
    judged = _judged(record.current)
    results = []
    for question in questions:
        given = by_content.get((_unit(question.id), question.fingerprint), [])
        results.append(
            AskedQuestion(
                question,
                next((each for each in given if each.reviewer_id == user.pk), None),
                tuple(each for each in given if each.reviewer_id != user.pk),
                judged.get(question.id),
            )
        )
    return tuple(results)


def answer(*, record: EnvironmentRecord, reviewer: User, question: str, answer: str, note: str) -> UnitAnswer:
    """Answer one question; "no" and an unsure note become flags.

    Raises:
        Forbidden: The person is no reviewer.
        Missing: The proof of the current revision asks no such question.
        InvalidInput: The answer is none of yes, no and unsure, or "no" says nothing about what is wrong.
    """
    assert record.current is not None
    if answer not in KINDS:
        raise InvalidInput(
            f"{answer!r} is no answer; choose one of {', '.join(get_args(QuestionAnswerKind))}."
        )
    chosen = next((each for each in questions_of(record.current) if each.id == question), None)
    if chosen is None:
        raise Missing(
            f"{record.title} has no question named {question[:200]!r}.", remedy="Read the questions again."
        )
    return answers.give_about(
        record=record,
        reviewer=reviewer,
        unit=_unit(chosen.id),
        fingerprint=chosen.fingerprint,
        answer=KINDS[answer],
        note=note,
        place=_place(chosen, answer),
        anchor=("part", chosen.part),
    )


def answered_in(review: Review) -> tuple[AnsweredQuestion, ...]:
    """What the reviewer of a review answered to the questions about its revision."""
    known = {
        (each.unit, each.fingerprint): each for each in _answers(review.environment, [review.reviewer_id])
    }
    pairs = (
        (question, known.get((_unit(question.id), question.fingerprint)))
        for question in questions_of(review.revision)
    )
    return tuple(
        AnsweredQuestion(question=question.id, text=question.text, answer=in_words(given), note=given.note)
        for question, given in pairs
        if given is not None
    )


def _answers(record: EnvironmentRecord, people: Sequence[int]) -> Sequence[UnitAnswer]:
    return list(
        UnitAnswer.objects.filter(environment=record, reviewer__in=people, unit__startswith="question:")
        .exclude(answer="")
        .select_related("reviewer", "flag")
    )


def _judged(revision: Revision) -> dict[str, AnsweredQuestion]:
    """The judge's answers of the newest grading, by question."""
    newest = QualityRecord.objects.filter(revision=revision).first()
    return {each.question: each for each in newest.load().answers} if newest else {}


def _unit(question: str) -> str:
    return f"question:{question}"


def _place(question: Question, answer: str) -> NotedPlace:
    evidence: dict[str, Any] = {"question": question.id}
    if question.part == "tools":
        evidence |= {"tool": question.where}
    if question.rows:
        evidence |= {"rows": [row.model_dump(mode="json") for row in question.rows]}
    words = "no" if answer == "no" else "not sure"
    return NotedPlace(
        code="",
        words=f"{question.text} Answered: {words}",
        reason=_REASONS.get(question.part, FlagReason.OTHER),
        part=question.part,
        where="" if question.part == "policy" else question.where,
        evidence=evidence,
    )
