"""The guided review: one task at a time, in plain language, beside the world it plays in."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from studio.forms.reviews import TaskAnswerForm
from studio.models import Act, EnvironmentRecord
from studio.presentation.plain_language import PlainLanguage
from studio.presentation.task_card import TaskCard, WorldTable, task_card, today, world_rows
from studio.services.accounts.accounts import allowed
from studio.services.environments import quality_gates, risk
from studio.services.errors import Missing
from studio.services.review import answers, queue
from studio.services.review import questions as asked_questions
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find, page
from synthesis.documents.tasks import Task


@requires(Act.VIEW)
def walk_begin(request: SignedInRequest, name: str) -> HttpResponse:
    """Where the person left off: the first task without their answer."""
    record = find(name)
    tasks = PlainLanguage(record).design.tasks.tasks
    given = answers.progress(record=record, reviewer=request.user).answers
    first = next((task.id for task in tasks if not _answer(given, task.id)), tasks[0].id)
    return redirect("walk", name=name, task=first)


@requires(Act.VIEW)
def walk(request: SignedInRequest, name: str, task: str) -> HttpResponse:
    """One task as a card; sending the form answers it and leads to the next."""
    record = find(name)
    plain = PlainLanguage(record)
    tasks = plain.design.tasks.tasks
    shown = next((each for each in tasks if each.id == task), None)
    if shown is None:
        raise Missing(f"{record.title} has no task named {task!r}.", remedy="Begin the review again.")
    card = task_card(record, shown, plain)
    if request.method == "POST":
        form = TaskAnswerForm(request.POST, places=card.places())
        if form.is_valid():
            return _answered(request, record, card, form)
        return _page(request, record, plain, card, form, status=422)
    return _page(request, record, plain, card, None)


def _answered(
    request: SignedInRequest, record: EnvironmentRecord, card: TaskCard, form: TaskAnswerForm
) -> HttpResponse:
    given = answers.give(
        record=record,
        reviewer=request.user,
        task=card.task.id,
        answer=form.cleaned_data["answer"],
        note=form.cleaned_data["note"],
        place=card.noted(form.cleaned_data["place"]),
    )
    if given.flag is not None:
        messages.success(request, f"Your note is a flag now: {card.title}.")
    tasks = [each.id for each in PlainLanguage(record).design.tasks.tasks]
    theirs = answers.progress(record=record, reviewer=request.user).answers
    at = tasks.index(card.task.id)
    following = next((id for id in (*tasks[at + 1 :], *tasks[:at]) if not _answer(theirs, id)), None)
    if following is None and _open_questions(request, record):
        messages.info(request, "You have answered every task. A few questions are left.")
        return redirect("questions", name=record.name)
    if following is None:
        messages.info(request, "You have answered every task. Decide now; the grades follow your answers.")
        return redirect("environment_review", name=record.name)
    table = request.GET.get("table", "")
    query = f"?table={table}" if table in PlainLanguage(record).dictionary.tables else ""
    return redirect(reverse("walk", args=[record.name, following]) + query)


def _open_questions(request: SignedInRequest, record: EnvironmentRecord) -> bool:
    asked = asked_questions.asked(record=record, user=request.user)
    return any(not each.answer for each in asked)


def _page(
    request: SignedInRequest,
    record: EnvironmentRecord,
    plain: PlainLanguage,
    card: TaskCard,
    form: TaskAnswerForm | None,
    status: int = 200,
) -> HttpResponse:
    table = _table(request, plain)
    units = {f"task:{card.task.id}", f"table:{table}", *(f"tool:{step.tool}" for step in card.steps)}
    progress = answers.progress(record=record, reviewer=request.user)
    if answers.see(record=record, reviewer=request.user, units=units - set(progress.answers)):
        progress = answers.progress(record=record, reviewer=request.user)
    given = progress.answers.get(f"task:{card.task.id}")
    initial = {"answer": given.answer, "note": given.note, "place": given.place} if given else {}
    initial |= {"place": request.GET["place"]} if "place" in request.GET else {}
    holders = queue.active_claims(record)
    warned = risk.warned_checks(quality_gates.latest_report(plain.revision))
    in_queue = risk.warnings_in_words(warned)
    context = {
        "warned": warned,
        "reasons": [reason for reason in record.risk_reasons if reason != in_queue],
        "card": card,
        "form": form or TaskAnswerForm(initial=initial, places=card.places()),
        "given": given,
        "progress": progress,
        "may_answer": allowed(request.user, Act.REVIEW),
        "mine": next((each for each in holders if each.reviewer_id == request.user.pk), None),
        "holders": [each for each in holders if each.reviewer_id != request.user.pk],
        **_neighbours(plain.design.tasks.tasks, card.task.id, progress),
        **_world(plain, table, progress),
        "query": f"?table={table}" if "table" in request.GET else "",
    }
    response = page(request, record, "environment_review", "reviews/walk.html", context)
    response.status_code = status
    return response


def _neighbours(tasks: tuple[Task, ...], shown: str, progress: answers.Progress) -> dict[str, Any]:
    ids = [task.id for task in tasks]
    at = ids.index(shown)
    return {
        "number": at + 1,
        "previous": ids[at - 1] if at else "",
        "next": ids[at + 1] if at + 1 < len(ids) else "",
        "stops": [(number, id, _answer(progress.answers, id)) for number, id in enumerate(ids, start=1)],
    }


def _world(plain: PlainLanguage, chosen: str, progress: answers.Progress) -> dict[str, Any]:
    """What is shown beside the card: the day of the clock, the tables, some rows of one of them."""
    tables = [
        WorldTable(
            name, entry.title, len(plain.rows_of(name)), f"table:{name}" in progress.answers, name == chosen
        )
        for name, entry in plain.dictionary.tables.items()
    ]
    return {
        "scenario": plain.design.scenario,
        "policy": plain.design.policy,
        "today": today(plain, plain.design.scenario.clock),
        "tables": tables,
        "chosen": next(table for table in tables if table.chosen),
        "rows": list(world_rows(plain, chosen)),
    }


def _table(request: SignedInRequest, plain: PlainLanguage) -> str:
    """The table that the address names, else the one of the person the agent acts for, else the first."""
    names = list(plain.dictionary.tables)
    wanted = request.GET.get("table", "")
    actor = plain.design.seeds.actor
    return wanted if wanted in names else actor.table if actor is not None else names[0]


def _answer(given: Any, task: str) -> str:
    answer = given.get(f"task:{task}")
    return answer.answer if answer is not None else ""
