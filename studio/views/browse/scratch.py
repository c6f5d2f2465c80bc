"""The scratch console: try tools on a private instance, undo, verify against a task, flag what is wrong."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from studio.forms.arguments import PREFIX, with_item, without_item
from studio.forms.scratch import AnswerForm, CallForm, RawForm
from studio.models import Act, EnvironmentRecord
from studio.presentation.check_words import outcome_words
from studio.presentation.plain_language import PlainLanguage
from studio.presentation.plain_results import plain_result
from studio.presentation.row_changes import shown_changes
from studio.services.browse import scratch as services
from studio.services.environments.environments import load_part
from studio.services.errors import Missing
from studio.templatetags.shell import shows_code
from studio.views.access import SignedInRequest, requires
from studio.views.environments.environment_shell import find, page
from synthesis.documents.tools import Tool, ToolCall, Toolset

LONGEST_EVIDENCE = 4_000
"""Characters of a result that travel with a flag."""


@requires(Act.TRY)
def environment_scratch(request: SignedInRequest, name: str) -> HttpResponse:
    """The console with one tool's form, the last result and everything called so far."""
    record = find(name)
    tool = _tool(record, request.GET.get("tool", ""))
    asked = _at(request, record, request.GET.get("again", ""))
    initial = (
        asked.arguments if asked is not None and asked.name == tool.name else _last(request, record, tool)
    )
    return _console(
        request,
        record,
        tool,
        CallForm(tool=tool, values=initial, words=_speaker(request, record)),
        RawForm.of(initial),
    )


@require_POST
@requires(Act.TRY)
def scratch_call(request: SignedInRequest, name: str) -> HttpResponse:
    """Make one call, from the form or from the JSON; or change the form without script."""
    record = find(name)
    tool = _tool(record, request.POST.get("tool", ""))
    if any(verb in request.POST for verb in ("add", "remove", "sync")):
        return _console(request, record, tool, *_in_step(request, tool, _speaker(request, record)))
    as_json = "as_json" in request.POST
    form, raw = (
        CallForm(_fields(request), tool=tool, words=_speaker(request, record)),
        RawForm(request.POST if as_json else None),
    )
    bound = raw if as_json else form
    if not bound.is_valid():
        form = (
            CallForm(tool=tool, values={}, words=_speaker(request, record))
            if as_json and not _fields(request)
            else form
        )
        raw = raw if as_json else RawForm.of(form.readable())
        return _console(request, record, tool, form, raw, status=422)
    arguments = raw.cleaned_data["raw"] if as_json else form.arguments()
    _keep(request, record, [*_calls(request, record), ToolCall(name=tool.name, arguments=arguments)])
    return _back(record, tool.name)


@require_POST
@requires(Act.TRY)
def scratch_sync(request: SignedInRequest, name: str) -> HttpResponse:
    """The form after the JSON was changed, or the JSON after the form was; nothing is called."""
    record = find(name)
    tool = _tool(record, request.POST.get("tool", ""))
    form, raw = _in_step(request, tool, _speaker(request, record))
    context = {
        "form": form,
        "raw": raw,
        "record": record,
        "tool": tool,
        "form_changed": _leads(request) != "form",
        "json_changed": _leads(request) != "json",
    }
    return render(request, "scratch/_in_step.html", context)


@require_POST
@requires(Act.TRY)
def scratch_undo(request: SignedInRequest, name: str) -> HttpResponse:
    """Go back to before a call; 0 is the beginning."""
    record = find(name)
    to = request.POST.get("to", "")
    calls = _calls(request, record)
    _keep(request, record, calls[: int(to)] if to.isdecimal() and len(to) < 6 else calls)
    return _back(record, request.POST.get("tool", ""))


@require_POST
@requires(Act.TRY)
def scratch_verify(request: SignedInRequest, name: str) -> HttpResponse:
    """What a task's verifier says to the state that was reached."""
    record = find(name)
    assert record.current is not None
    tool = _tool(record, request.POST.get("tool", ""))
    answer = AnswerForm(request.POST, tasks=_tasks(request, record))
    context: dict[str, Any] = {"answer_form": answer}
    if answer.is_valid():
        verdict = services.verdict(
            user=request.user,
            revision=record.current,
            calls=_calls(request, record),
            seed=_seed(request, record),
            task_id=answer.cleaned_data["task"],
            answer=answer.cleaned_data["answer"],
        )
        context["verdicts"] = [verdict]
        context["outcome_words"] = outcome_words(PlainLanguage(record), [verdict])
    values = _last(request, record, tool)
    form = CallForm(tool=tool, values=values, words=_speaker(request, record))
    return _console(request, record, tool, form, RawForm.of(values), **context)


def _console(
    request: SignedInRequest,
    record: EnvironmentRecord,
    tool: Tool,
    form: CallForm,
    raw: RawForm,
    *,
    status: int = 200,
    **extra: Any,
) -> HttpResponse:
    assert record.current is not None
    scratch = services.opened(
        user=request.user,
        revision=record.current,
        calls=_calls(request, record),
        seed=_seed(request, record),
    )
    played = [
        {"number": number, "played": each, "changes": len(each.result.changes)}
        for number, each in enumerate(scratch.played, start=1)
    ]
    last = scratch.played[-1] if scratch.played else None
    observation, words = last.result.observation() if last else None, _words(request, record)
    context = {
        "tool": tool,
        "tools": _toolset(record).tools,
        "form": form,
        "raw": raw,
        "instance_until": timezone.localtime() + timedelta(seconds=services.EXPIRES),
        "played": played[::-1],
        "last": last,
        "observation": observation,
        "shown_result": plain_result(words, observation) if words else None,
        "changes": shown_changes(last.result.changes) if last else [],
        "view": "diff",
        "answer_form": AnswerForm(tasks=_tasks(request, record)),
        "verdicts": [],
        "flag_last": _flag_query(scratch.played),
        **extra,
    }
    response = page(request, record, "environment_tools", "scratch/console.html", context)
    response.status_code = status
    return response


def evidence_of(request: HttpRequest, record: EnvironmentRecord, number: str) -> dict[str, Any]:
    """A call of the person's own instance as evidence: what was called before, what came back, what changed.

    Nothing where there is no such call.
    """
    assert record.current is not None
    calls = _calls(request, record)
    at = int(number) if number.isdecimal() and len(number) < 6 else 0
    if not 1 <= at <= len(calls):
        return {}
    user = cast("SignedInRequest", request).user
    played = services.opened(user=user, revision=record.current, calls=calls).played[at - 1]
    text = json.dumps(played.result.observation(), ensure_ascii=False)
    return {
        "tool": played.call.name,
        "arguments": played.call.arguments,
        "status": played.result.status,
        "observation": text if len(text) <= LONGEST_EVIDENCE else f"{text[:LONGEST_EVIDENCE]}…",
        "rows_changed": len(played.result.changes),
        "before": [call.model_dump(mode="json") for call in calls[: at - 1]],
    }


def _flag_query(played: list[services.TimedCall]) -> str:
    if not played:
        return ""
    name = played[-1].call.name
    answers = {"reason": "tool_bug", "part": "tools", "where": name, "scratch": str(len(played))}
    return urlencode(answers)


def _leads(request: HttpRequest) -> str:
    """Who is followed: "json", the "form", or an item that is "put" into it or "taken" away."""
    if "put" in request.GET or "take" in request.GET:
        return "put" if "put" in request.GET else "take"
    if "sync" not in request.POST and ("add" in request.POST or "remove" in request.POST):
        return "put" if "add" in request.POST else "take"
    return "json" if request.POST.get("sync") == "form" else "form"


def _in_step(request: HttpRequest, tool: Tool, words: PlainLanguage | None) -> tuple[CallForm, RawForm]:
    """Form and JSON saying the same, led by the one that was changed; bad JSON leaves the form as it is."""
    fields, leads = _fields(request), _leads(request)
    if leads == "json":
        raw = RawForm(request.POST)
        if raw.is_valid():
            return CallForm(tool=tool, words=words, values=raw.cleaned_data["raw"]), raw
        return CallForm(
            tool=tool, words=words, values=CallForm(fields, tool=tool, words=words).readable()
        ), raw
    if leads == "put":
        fields = with_item(fields, request.GET.get("put") or request.POST.get("add", ""))
    elif leads == "take":
        fields = without_item(fields, request.GET.get("take") or request.POST.get("remove", ""))
    form = CallForm(fields, tool=tool, words=words)
    arguments = form.readable()
    if leads != "form":
        form.errors.clear()  # nothing was sent yet: an empty item is no mistake
    return form, RawForm.of(arguments)


def _fields(request: HttpRequest) -> dict[str, str]:
    """The fields of the tool's form among what was sent."""
    return {name: str(value) for name, value in request.POST.items() if name.startswith(PREFIX)}


def _toolset(record: EnvironmentRecord) -> Toolset:
    assert record.current is not None
    toolset = load_part(record.current, "tools")
    assert isinstance(toolset, Toolset)
    return toolset


def _tool(record: EnvironmentRecord, name: str) -> Tool:
    toolset = _toolset(record)
    tool = toolset.tool(name) if name else toolset.tools[0]
    if tool is None:
        raise Missing(
            f"{record.title} has no tool named {name!r}.", remedy="Choose one from the list of tools."
        )
    return tool


def _tasks(request: HttpRequest, record: EnvironmentRecord) -> list[tuple[str, str]]:
    names = record.elements.filter(kind="task").values_list("name", flat=True)
    words = _words(request, record)
    return [(name, words.task(name) if words else name) for name in names]


def _words(request: HttpRequest, record: EnvironmentRecord) -> PlainLanguage | None:
    """Who speaks of tools, tasks and arguments as people do; None in the expert view."""
    return None if shows_code(request) else PlainLanguage(record)


def _speaker(request: SignedInRequest, record: EnvironmentRecord) -> PlainLanguage | None:
    """The same, who also knows the rows that the calls so far have made or changed."""
    words, calls = _words(request, record), _calls(request, record)
    if words is None or not calls:
        return words
    assert record.current is not None
    scratch = services.opened(
        user=request.user, revision=record.current, calls=calls, seed=_seed(request, record)
    )
    return words.after(each.result.changes for each in scratch.played)


def _session_key(record: EnvironmentRecord) -> str:
    return f"scratch:{record.current_id}"


def _calls(request: HttpRequest, record: EnvironmentRecord) -> list[ToolCall]:
    return [ToolCall.model_validate(call) for call in request.session.get(_session_key(record), [])]


def _keep(request: HttpRequest, record: EnvironmentRecord, calls: list[ToolCall]) -> None:
    tool_calls = calls[: services.MOST_CALLS]
    request.session[_session_key(record)] = [call.model_dump(mode="json") for call in tool_calls]


def _seed(request: HttpRequest, record: EnvironmentRecord) -> int:
    return int(request.session.get(f"{_session_key(record)}:seed", 0))


def start_at(
    request: HttpRequest, record: EnvironmentRecord, calls: list[ToolCall], *, seed: int
) -> HttpResponse:
    """Open the console after some calls on an instance of that seed; what was tried before is left behind."""
    _keep(request, record, calls)
    request.session[f"{_session_key(record)}:seed"] = seed
    return _back(record, calls[-1].name if calls else "")


def _at(request: HttpRequest, record: EnvironmentRecord, number: str) -> ToolCall | None:
    calls = _calls(request, record)
    at = int(number) if number.isdecimal() and len(number) < 6 else 0
    return calls[at - 1] if 1 <= at <= len(calls) else None


def _last(request: HttpRequest, record: EnvironmentRecord, tool: Tool) -> dict[str, Any]:
    """The arguments of the last call, which stay in the form, if it was one of this tool."""
    calls = _calls(request, record)
    return dict(calls[-1].arguments) if calls and calls[-1].name == tool.name else {}


def _back(record: EnvironmentRecord, tool: str) -> HttpResponse:
    return redirect(f"{reverse('environment_scratch', args=[record.name])}?{urlencode({'tool': tool})}")
