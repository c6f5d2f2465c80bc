"""The scratch console: try tools on a private instance, undo, verify against a task, flag what is wrong."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from studio.forms.scratch import PREFIX, AnswerForm, CallForm, RawForm
from studio.models import Act, EnvironmentRecord
from studio.services import scratch as services
from studio.services.environments import load_part
from studio.services.refusals import Missing
from studio.views.access import SignedInRequest, requires
from studio.views.environment_shell import find, page
from studio.views.row_changes import shown_changes
from synthesis.documents.tools import Tool, ToolCall, Toolset


@requires(Act.TRY)
def environment_scratch(request: SignedInRequest, name: str) -> HttpResponse:
    """The console with one tool's form, the last result and everything called so far."""
    record = find(name)
    tool = _tool(record, request.GET.get("tool", ""))
    again = _at(request, record, request.GET.get("again", ""))
    initial = again.arguments if again is not None and again.name == tool.name else {}
    form = CallForm(tool=tool, initial={PREFIX + key: _shown(value) for key, value in initial.items()})
    raw = RawForm(initial={"raw": json.dumps(initial, indent=2, ensure_ascii=False)})
    return _console(request, record, tool, form, raw)


@require_POST
@requires(Act.TRY)
def scratch_call(request: SignedInRequest, name: str) -> HttpResponse:
    """Make one call, from the form or from the JSON."""
    record = find(name)
    tool = _tool(record, request.POST.get("tool", ""))
    as_json = "as_json" in request.POST
    form = CallForm(None if as_json else request.POST, tool=tool)
    raw = RawForm(request.POST if as_json else None, initial={"raw": "{}"})
    bound = raw if as_json else form
    if not bound.is_valid():
        return _console(request, record, tool, form, raw, status=422)
    arguments = raw.cleaned_data["raw"] if as_json else form.arguments()
    _keep(request, record, [*_calls(request, record), ToolCall(name=tool.name, arguments=arguments)])
    return _back(record, tool.name)


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
    answer = AnswerForm(request.POST, tasks=_tasks(record))
    context: dict[str, Any] = {"answer_form": answer}
    if answer.is_valid():
        context["verdicts"] = [
            services.verdict(
                user=request.user,
                revision=record.current,
                calls=_calls(request, record),
                seed=_seed(request, record),
                task_id=answer.cleaned_data["task"],
                answer=answer.cleaned_data["answer"],
            )
        ]
    return _console(request, record, tool, CallForm(tool=tool), RawForm(initial={"raw": "{}"}), **context)


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
    context = {
        "tool": tool,
        "tools": _toolset(record).tools,
        "form": form,
        "raw": raw,
        "raw_open": raw.is_bound,
        "played": played[::-1],
        "last": last,
        "observation": last.result.observation() if last else None,
        "changes": shown_changes(last.result.changes) if last else [],
        "view": "diff",
        "answer_form": AnswerForm(tasks=_tasks(record)),
        "verdicts": [],
        "evidence": _evidence(last) if last else "",
        **extra,
    }
    response = page(request, record, "environment_tools", "scratch/console.html", context)
    response.status_code = status
    return response


def _evidence(last: services.Played) -> str:
    said = {
        "tool": last.call.name,
        "arguments": json.dumps(last.call.arguments),
        "status": last.result.status,
    }
    return urlencode({"reason": "tool_bug", "part": "tools", "where": last.call.name, **said})


def _toolset(record: EnvironmentRecord) -> Toolset:
    assert record.current is not None
    toolset = load_part(record.current, "tools")
    assert isinstance(toolset, Toolset)
    return toolset


def _tool(record: EnvironmentRecord, name: str) -> Tool:
    toolset = _toolset(record)
    found = toolset.tool(name) if name else toolset.tools[0]
    if found is None:
        raise Missing(
            f"{record.title} has no tool named {name!r}.", remedy="Choose one from the list of tools."
        )
    return found


def _tasks(record: EnvironmentRecord) -> list[str]:
    return list(record.elements.filter(kind="task").values_list("name", flat=True))


def _session_key(record: EnvironmentRecord) -> str:
    return f"scratch:{record.current_id}"


def _calls(request: HttpRequest, record: EnvironmentRecord) -> list[ToolCall]:
    return [ToolCall.model_validate(call) for call in request.session.get(_session_key(record), [])]


def _keep(request: HttpRequest, record: EnvironmentRecord, calls: list[ToolCall]) -> None:
    kept = calls[: services.MOST_CALLS]
    request.session[_session_key(record)] = [call.model_dump(mode="json") for call in kept]


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
    return calls[int(number) - 1] if number.isdecimal() and 1 <= int(number) <= len(calls) else None


def _shown(value: Any) -> Any:
    """An argument as a field's text: nested values and choices are JSON."""
    return json.dumps(value) if isinstance(value, dict | list | bool) else value


def _back(record: EnvironmentRecord, tool: str) -> HttpResponse:
    return redirect(f"{reverse('environment_scratch', args=[record.name])}?{urlencode({'tool': tool})}")
