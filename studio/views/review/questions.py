"""What code cannot see: the questions of the proof, answered by a reviewer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from studio.forms.reviews import QuestionAnswerForm
from studio.models import Act, EnvironmentRecord
from studio.presentation.plain_language import PlainLanguage
from studio.presentation.task_card import WorldRow
from studio.services.accounts.accounts import allowed
from studio.services.environments import quality_gates
from studio.services.errors import Missing
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
    """Every question as a card; answers are sent together and lead to the next question without one."""
    record = find(name)
    asked = asked_questions.asked(record=record, user=request.user)
    if request.method != "POST":
        return _page(request, record, _forms(asked))
    _require_asked(record, asked, request.POST)
    sent = _forms(asked, request.POST)
    given = {question: form for question, form in sent.items() if form.is_bound}
    if not all(form.is_valid() for form in given.values()):
        return _page(request, record, sent, status=422)
    changed = {question: form for question, form in given.items() if form.has_changed()}
    if not changed and not all(each.answer for each in asked):
        messages.error(request, "Nothing was answered. Choose yes, no or not sure at one question at least.")
        return _page(request, record, sent, status=422)
    with transaction.atomic():
        saved = [
            asked_questions.answer(
                record=record,
                reviewer=request.user,
                question=question,
                answer=form.cleaned_data["answer"],
                note=form.cleaned_data["note"],
            )
            for question, form in changed.items()
        ]
    if saved:
        messages.success(request, _confirmation(len(saved), sum(each.flag is not None for each in saved)))
    return _next(request, record)


def _confirmation(answers: int, flags: int) -> str:
    saved = "Your answer is" if answers == 1 else f"Your {answers} answers are"
    if not flags:
        return f"{saved} saved."
    if flags == answers:
        return f"{saved} {'a flag' if answers == 1 else 'flags'} now."
    return f"{saved} saved; {flags} of them {'is a flag' if flags == 1 else 'are flags'} now."


def _require_asked(record: EnvironmentRecord, asked: Sequence[AskedQuestion], sent: QueryDict) -> None:
    """Refuse answers to questions that the newest proof does not ask."""
    named = {field.rpartition("-")[0] for field in sent if field.endswith(("-answer", "-note"))}
    unknown = sorted(named - {each.question.id for each in asked})
    if unknown:
        raise Missing(
            f"{record.title} has no question named {unknown[0][:200]!r}.", remedy="Read the questions again."
        )


def _next(request: SignedInRequest, record: EnvironmentRecord) -> HttpResponse:
    asked = asked_questions.asked(record=record, user=request.user)
    waiting = next((number for number, each in enumerate(asked, start=1) if not each.answer), None)
    if waiting is None:
        return redirect("environment_review", name=record.name)
    return redirect(f"{reverse('questions', args=[record.name])}#question-{waiting}")


def _forms(asked: Sequence[AskedQuestion], sent: QueryDict | None = None) -> Mapping[str, QuestionAnswerForm]:
    """A form for each question; one that was not sent is not bound."""
    named = {field.rpartition("-")[0] for field in sent or ()}
    return {
        each.question.id: QuestionAnswerForm(
            sent if each.question.id in named else None,
            prefix=each.question.id,
            initial={"answer": each.answer, "note": each.own.note if each.own else ""},
            empty_permitted=True,
            use_required_attribute=False,
        )
        for each in asked
    }


def _page(
    request: SignedInRequest,
    record: EnvironmentRecord,
    forms: Mapping[str, QuestionAnswerForm],
    status: int = 200,
) -> HttpResponse:
    assert record.current is not None
    visible = reviews.visible_among(quality_gates.submitted_reviews(record), record=record, user=request.user)
    asked = asked_questions.asked(record=record, user=request.user, visible=visible)
    plain = PlainLanguage(record)
    cards = [
        QuestionCard(number, each, tuple(_rows(plain, each.question)), forms[each.question.id])
        for number, each in enumerate(asked, start=1)
    ]
    context = {
        "cards": cards,
        "refused": next((card for card in cards if card.form.is_bound and card.form.errors), None),
        "answered": sum(bool(each.answer) for each in asked),
        "proved": quality_gates.latest_report(record.current) is not None,
        "may_answer": allowed(request.user, Act.REVIEW),
    }
    response = page(request, record, "environment_review", "reviews/questions.html", context)
    response.status_code = status
    return response


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
