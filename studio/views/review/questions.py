"""What code cannot see: the questions of the proof, answered by a reviewer one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from studio.forms.reviews import QuestionAnswerForm
from studio.models import Act, EnvironmentRecord
from studio.presentation.plain_language import PlainLanguage
from studio.presentation.task_card import WorldRow
from studio.services.accounts.accounts import allowed
from studio.services.environments import quality_gates
from studio.services.review import questions as asked_questions
from studio.services.review import reviews
from studio.services.review.questions import AskedQuestion
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find, page
from synthesis.documents.question import Question


@dataclass(frozen=True)
class QuestionCard:
    """One question as it is shown.

    Attributes:
        number: From 1.
        asked: The question with its answers.
        rows: The rows it is about, in plain language.
        form: What was sent for it, or what the person answered before.
    """

    number: int
    asked: AskedQuestion
    rows: tuple[WorldRow, ...]
    form: QuestionAnswerForm


@requires(Act.VIEW)
def questions(request: SignedInRequest, name: str) -> HttpResponse:
    """Every question as a card; sending one form answers one and leads to the next without an answer."""
    record = find(name)
    if request.method != "POST":
        return _page(request, record, None)
    form = QuestionAnswerForm(request.POST)
    if not form.is_valid():
        return _page(request, record, form)
    given = asked_questions.answer(
        record=record,
        reviewer=request.user,
        question=form.cleaned_data["question"],
        answer=form.cleaned_data["answer"],
        note=form.cleaned_data["note"],
    )
    messages.success(request, "Your answer is a flag now." if given.flag else "Your answer is saved.")
    return _next(request, record)


def _next(request: SignedInRequest, record: EnvironmentRecord) -> HttpResponse:
    asked = asked_questions.asked(record=record, user=request.user)
    waiting = next((number for number, each in enumerate(asked, start=1) if not each.answer), None)
    if waiting is None:
        return redirect("environment_review", name=record.name)
    return redirect(f"{reverse('questions', args=[record.name])}#question-{waiting}")


def _page(
    request: SignedInRequest, record: EnvironmentRecord, sent: QuestionAnswerForm | None
) -> HttpResponse:
    assert record.current is not None
    visible = reviews.visible_among(quality_gates.submitted_reviews(record), record=record, user=request.user)
    asked = asked_questions.asked(record=record, user=request.user, visible=visible)
    context = {
        "cards": list(_cards(PlainLanguage(record), asked, sent)),
        "answered": sum(bool(each.answer) for each in asked),
        "proved": quality_gates.latest_report(record.current) is not None,
        "may_answer": allowed(request.user, Act.REVIEW),
    }
    response = page(request, record, "environment_review", "reviews/questions.html", context)
    response.status_code = 422 if sent is not None else 200
    return response


def _cards(
    plain: PlainLanguage, asked: tuple[AskedQuestion, ...], sent: QuestionAnswerForm | None
) -> Iterator[QuestionCard]:
    for number, each in enumerate(asked, start=1):
        theirs = sent is not None and sent.data.get("question") == each.question.id
        initial = {"answer": each.answer, "note": each.own.note if each.own else ""}
        form = sent if sent is not None and theirs else QuestionAnswerForm(initial=initial)
        yield QuestionCard(number, each, tuple(_rows(plain, each.question)), form)


def _rows(plain: PlainLanguage, question: Question) -> Iterator[WorldRow]:
    """The rows of a question; one whose table is no longer there is left out."""
    for row in question.rows:
        if row.table not in plain.dictionary.tables:
            continue
        key = plain.primary_key(row.table)
        address = plain.row_address(row.table, key[0], row.key) if len(key) == 1 else ""
        values = tuple(plain.value(row.table, name, value) for name, value in row.cells.items())
        whole = next(
            (each for each in plain.rows_of(row.table) if len(key) == 1 and each.get(key[0]) == row.key),
            row.cells,
        )
        yield WorldRow(plain.row(row.table, whole), values, address)
