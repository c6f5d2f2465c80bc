"""Editing one task: by forms in the words of its world, or as JSON in the expert view."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import reverse

from studio.forms.edits import TaskForm
from studio.forms.task_steps import STEPS, TaskStepsForm, rearranged
from studio.models import Act, EnvironmentRecord
from studio.presentation.plain_language import PlainLanguage
from studio.services.environments import change_lists, edits
from studio.services.errors import Missing
from studio.templatetags.shell import shows_code
from studio.views.access import SignedInRequest, requires
from studio.views.environments.edits import (
    EditSubject,
    answer_page,
    edit_page,
    number_of,
    opened,
    part_form,
)
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task


@requires(Act.EDIT)
def edit_task(request: SignedInRequest, name: str, task: str) -> HttpResponse:
    """One task: what is asked, the reference calls, the expected answer."""
    record, environment = opened(request, name)
    result = environment.task(task)
    if result is None:
        raise Missing(f"{record.title} has no task named {task!r}.", remedy="Choose one from the list.")
    if not shows_code(request):
        return _edit_task_steps(request, record, environment, result)
    return edit_page(
        request,
        record,
        EditSubject(
            title=f"the task {task}",
            tab="environment_tasks",
            back=reverse("environment_task", args=[name, task]),
            form=part_form(TaskForm, request, record, TaskForm.shown(result.model_dump(mode="json"))),
            change=lambda form: edits.edit_task(task, form.values()),
        ),
    )


def _edit_task_steps(
    request: SignedInRequest, record: EnvironmentRecord, environment: Environment, task: Task
) -> HttpResponse:
    """The same without JSON: each step by the fields of its tool; steps and lines are added and removed."""
    plain = PlainLanguage(record)
    moved = rearranged(request.POST) if request.method == "POST" else None
    stored = task.model_dump(mode="json")
    form = TaskStepsForm(
        moved or request.POST or None,
        task=stored,
        tools=environment.tools,
        words=plain,
        initial={**stored, "revision": number_of(record)},
    )
    form.order_fields([*(name for name in form.fields if name != "reason"), "reason"])
    tools = sorted((plain.tool(each.name), each.name) for each in environment.tools.tools)
    subject = EditSubject(
        title=f"the task “{plain.task(task.id)}”",
        tab="environment_tasks",
        back=reverse("environment_task", args=[record.name, task.id]),
        form=form,
        change=lambda form: edits.edit_task(task.id, form.values()),
        template="edits/task.html",
        more={"tools": tools, "added": f"{STEPS}"},
    )
    if moved is None:
        return edit_page(request, record, subject)
    form.forget_errors()
    changes = change_lists.worked_by(record, request.user)
    context = {"subject": subject, "form": form, "changes": changes, **subject.more}
    return answer_page(request, record, subject, context, status=200)
