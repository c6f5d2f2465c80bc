"""Editing a part in the browser: its text or fields, a reason, and a new revision whose claims are tried."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from studio.forms.edits import (
    EditForm,
    InvariantsForm,
    PolicyForm,
    ScenarioForm,
    SchemaForm,
    SourceForm,
)
from studio.models import Act, ChangeList, EnvironmentRecord
from studio.services.environments import change_lists, edits
from studio.services.environments.environments import load_environment
from studio.services.environments.units import tool_line
from studio.services.errors import Missing, ServiceError, Stale
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find, page
from synthesis.documents.environment import Environment
from synthesis.errors import InvalidInput

PLACE = re.compile(r"line (\d+), column (\d+)")


@dataclass(frozen=True)
class EditSubject:
    """What is edited.

    Attributes:
        title: In words.
        tab: The tab it belongs to.
        back: Address of the page that shows it.
        form: The form that was sent, or one with the present content.
        change: The change a valid form asks for.
        template: How the form is laid out.
        more: What else the template needs.
    """

    title: str
    tab: str
    back: str
    form: EditForm
    change: Callable[[Any], edits.Change]
    template: str = "edits/edit.html"
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def code(self) -> bool:
        """Whether it is edited in an editor of sources."""
        return any("data-language" in each.field.widget.attrs for each in self.form.content())


@requires(Act.EDIT)
def edit_scenario(request: SignedInRequest, name: str) -> HttpResponse:
    """The scenario: title, category, description, licence, clock."""
    record, environment = opened(request, name)
    scenario = environment.scenario
    initial = {**scenario.model_dump(), "clock": scenario.clock.isoformat()}
    return edit_page(
        request,
        record,
        EditSubject(
            title="the scenario",
            tab="environment",
            back=record.get_absolute_url(),
            form=part_form(ScenarioForm, request, record, initial),
            change=lambda form: edits.edit_scenario(
                **{each.name: form.cleaned_data[each.name] for each in form.content()}
            ),
        ),
    )


@requires(Act.EDIT)
def edit_policy(request: SignedInRequest, name: str) -> HttpResponse:
    """The policy; empty text takes it away."""
    record, environment = opened(request, name)
    initial = {"text": environment.policy.text if environment.policy else ""}
    return edit_page(
        request,
        record,
        EditSubject(
            title="the policy",
            tab="environment",
            back=record.get_absolute_url(),
            form=part_form(PolicyForm, request, record, initial),
            change=lambda form: edits.edit_policy(form.cleaned_data["text"]),
        ),
    )


@requires(Act.EDIT)
def edit_schema(request: SignedInRequest, name: str) -> HttpResponse:
    """The whole DDL."""
    record, environment = opened(request, name)
    return edit_page(
        request,
        record,
        EditSubject(
            title="the schema",
            tab="environment_schema",
            back=reverse("environment_schema", args=[name]),
            form=part_form(SchemaForm, request, record, {"sql": environment.schema.sql}),
            change=lambda form: edits.edit_schema(form.cleaned_data["sql"]),
        ),
    )


@requires(Act.EDIT)
def edit_tools(request: SignedInRequest, name: str) -> HttpResponse:
    """The whole of tools.py, opened at the tool the address names."""
    record, environment = opened(request, name)
    source = environment.tools.source
    tool = request.GET.get("tool", "")
    known = tool if environment.tools.tool(tool) else ""
    back = (
        reverse("environment_tool", args=[name, known])
        if known
        else reverse("environment_tools", args=[name])
    )
    return edit_page(
        request,
        record,
        EditSubject(
            title="tools.py",
            tab="environment_tools",
            back=back,
            form=part_form(SourceForm, request, record, {"source": source}),
            change=lambda form: edits.edit_tools(form.cleaned_data["source"]),
            more={"tool": known, "line": tool_line(source, known) if known else 0},
        ),
    )


@requires(Act.EDIT)
def edit_invariants(request: SignedInRequest, name: str) -> HttpResponse:
    """The whole of invariants.py; empty text takes it away."""
    record, environment = opened(request, name)
    initial = {"source": environment.invariants.source if environment.invariants else ""}
    return edit_page(
        request,
        record,
        EditSubject(
            title="invariants.py",
            tab="environment",
            back=record.get_absolute_url(),
            form=part_form(InvariantsForm, request, record, initial),
            change=lambda form: edits.edit_invariants(form.cleaned_data["source"]),
        ),
    )


@requires(Act.EDIT)
def edit_verifier(request: SignedInRequest, name: str, task: str) -> HttpResponse:
    """One task's verifier."""
    record, environment = opened(request, name)
    verifier = environment.verifier(task)
    if verifier is None:
        raise Missing(f"{record.title} has no task named {task!r}.", remedy="Choose one from the list.")
    return edit_page(
        request,
        record,
        EditSubject(
            title=f"the verifier of {task}",
            tab="environment_tasks",
            back=reverse("environment_task", args=[name, task]),
            form=part_form(SourceForm, request, record, {"source": verifier.source}),
            change=lambda form: edits.edit_verifier(task, form.cleaned_data["source"]),
        ),
    )


def edit_page(request: SignedInRequest, record: EnvironmentRecord, subject: EditSubject) -> HttpResponse:
    """Show the form, or save it; what cannot be saved comes back with every word of it."""
    form = subject.form
    changes = change_lists.worked_by(record, request.user)
    context: dict[str, Any] = {"subject": subject, "form": form, "changes": changes, **subject.more}
    if not form.is_bound or not form.is_valid():
        return answer_page(request, record, subject, context, status=422 if form.is_bound else 200)
    try:
        if changes is not None:
            return _gathered(request, record, subject, changes)
        revision = edits.edit(
            record=record,
            revision_number=form.cleaned_data["revision"],
            editor=request.user,
            change=subject.change(form),
            reason=form.cleaned_data["reason"],
        )
    except InvalidInput as error:
        form.add_error(None, str(error))
        return answer_page(request, record, subject, {**context, "place": _place(str(error))}, status=422)
    except Stale as refused:
        seen = form.cleaned_data["revision"]
        # What the form contains is now compared with the current revision, so the next save is about that.
        values = request.POST.copy()
        values["revision"] = str(refused.current)
        form.data = values
        stale = {"stale": refused, "stale_link": _since(record, refused.current, seen)}
        return answer_page(request, record, subject, {**context, **stale}, status=refused.status)
    except ServiceError as refused:
        form.add_error(None, f"{refused.message} {refused.remedy}".strip())
        return answer_page(request, record, subject, context, status=refused.status)
    messages.success(
        request,
        f"Revision {revision.number} is saved. What depends on the change is being checked again.",
    )
    return redirect("environment_revision", name=record.name, number=revision.number)


def _gathered(
    request: SignedInRequest, record: EnvironmentRecord, subject: EditSubject, changes: ChangeList
) -> HttpResponse:
    """Add what was saved to the change list that the person works off."""
    seen = request.POST.get("gathered", "")
    change_lists.gather(
        changes=changes,
        editor=request.user,
        change=subject.change(subject.form),
        reason=subject.form.cleaned_data["reason"],
        seen=int(seen) if seen.isascii() and seen.isdecimal() and len(seen) < 9 else -1,
    )
    messages.success(
        request, "The change is on your list. One proof covers all of them when you have finished."
    )
    return redirect("send_back", name=record.name)


def answer_page(
    request: SignedInRequest,
    record: EnvironmentRecord,
    subject: EditSubject,
    context: dict[str, Any],
    *,
    status: int,
) -> HttpResponse:
    """The page of a form with a status."""
    response = page(request, record, subject.tab, subject.template, context)
    response.status_code = status
    return response


def opened(request: SignedInRequest, name: str) -> tuple[EnvironmentRecord, Environment]:
    """The environment; to who works off its change list, with what they changed so far."""
    record = find(name)
    assert record.current is not None
    changes = change_lists.worked_by(record, request.user)
    return record, change_lists.gathered(changes) if changes else load_environment(record.current)


def part_form(
    kind: type[EditForm], request: SignedInRequest, record: EnvironmentRecord, initial: dict[str, Any]
) -> EditForm:
    """The form of a part: what was sent, or its present content."""
    form = kind(request.POST or None, initial={**initial, "revision": number_of(record)})
    form.order_fields([*(name for name in form.fields if name != "reason"), "reason"])
    return form


def number_of(record: EnvironmentRecord) -> int:
    """The number of the current revision."""
    assert record.current is not None
    return record.current.number


def _place(message: str) -> dict[str, str] | None:
    """Line and column a message names, so that the editor can go there."""
    match = PLACE.search(message)
    return {"line": match[1], "column": match[2]} if match else None


def _since(record: EnvironmentRecord, number: int, seen: int) -> str:
    return f"{reverse('environment_revision', args=[record.name, number])}?since={seen}"
