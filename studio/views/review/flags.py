"""Flags: raising one with its evidence, settling one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from studio.forms.reviews import FlagForm, SettleForm
from studio.models import Act, EnvironmentRecord, Flag
from studio.services.browse import pickers
from studio.services.environments.trade_words import trade_word
from studio.services.errors import Missing
from studio.services.review import flags
from studio.templatetags.shell import shows_code
from studio.views.access import SignedInRequest, requires
from studio.views.browse.scratch import evidence_of
from studio.views.environments.environment_shell import find, page
from studio.views.own_address import own_address


@requires(Act.COMMENT)
def flag_new(request: SignedInRequest, name: str) -> HttpResponse:
    """Say that something is wrong; the place comes with the address."""
    record = find(name)
    evidence = _evidence(request, record)
    initial = {
        "reason": request.GET.get("reason", "tool_bug"),
        "severity": "blocking",
        "part": request.GET.get("part", ""),
        "where": request.GET.get("where", ""),
        "evidence": evidence,
    }
    expert = shows_code(request)
    form = FlagForm(
        request.POST or None, initial=initial, places=lambda: pickers.places_of(record), expert=expert
    )
    if request.method == "POST" and form.is_valid():
        values = {**form.cleaned_data, "evidence": form.cleaned_data["evidence"] or {}}
        flag = flags.raise_flag(record=record, user=request.user, **values)
        reason = flag.get_reason_display() if expert else trade_word(flag.get_reason_display())
        messages.success(request, f"Flagged: {reason.lower()}.")
        return redirect(_back(request) or record.get_absolute_url())
    context = {"form": form, "evidence": evidence, "back": _back(request)}
    response = page(request, record, "environment_review", "reviews/flag.html", context)
    response.status_code = 422 if form.is_bound else 200
    return response


@require_POST
@requires(Act.COMMENT)
def flag_settle(request: SignedInRequest, name: str, flag_id: int) -> HttpResponse:
    """Withdraw one's own flag, or settle another's as a lead."""
    flag = Flag.objects.select_related("environment").filter(pk=flag_id, environment__name=name).first()
    if flag is None:
        raise Missing("There is no such flag.")
    form = SettleForm(request.POST)
    words = form.cleaned_data["resolution"] if form.is_valid() else ""
    settled = flags.settle_flag(flag=flag, user=request.user, resolution=words)
    messages.success(request, f"The flag is {settled.get_state_display().lower()}.")
    return redirect("environment_review", name=name)


def _evidence(request: HttpRequest, record: EnvironmentRecord) -> dict[str, Any]:
    """What the address says was seen: a step, a row, a task, or a call of the person's own instance."""
    if "scratch" in request.GET:
        return evidence_of(request, record, request.GET["scratch"])
    shown = {
        name: request.GET[name]
        for name in ("trajectory", "step", "table", "key", "tool", "task", "arguments", "status")
        if name in request.GET
    }
    return {
        name: int(value) if value.isdecimal() and len(value) < 20 else value for name, value in shown.items()
    }


def _back(request: HttpRequest) -> str:
    return own_address(request, request.POST.get("next") or request.GET.get("next", ""))
