"""Drift: a stored trajectory played again on a revision, and a scratch console that starts at a step."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from studio.models import Act, TrajectoryRecord
from studio.services import drift as services
from studio.services.refusals import Missing
from studio.templatetags.texts import pretty_json
from studio.views.access import SignedInRequest, requires
from studio.views.row_changes import key_text, shown_changes
from studio.views.scratch import start_at
from synthesis.documents.tools import ToolCall
from synthesis.worlds.drift import RowDrift, StepDrift

LONGEST = 4_000
"""Characters of an observation that are shown."""
MOST_ROWS = 50


@requires(Act.TRY)
def trajectory_drift(request: SignedInRequest, trajectory_id: int) -> HttpResponse:
    """The trajectory's calls made again on a revision, the current one unless another is asked for."""
    found = _find(trajectory_id)
    raw = request.GET.get("revision", "")
    number = int(raw) if raw.isdecimal() and len(raw) < 10 else None
    replayed = services.replay_on(trajectory=found, number=number)
    if request.GET.get("format") == "json":
        return JsonResponse(replayed.as_json())
    rows = replayed.begins_with.changes if replayed.begins_with else ()
    context = {
        "section": "trajectories",
        "trajectory": found,
        "environment": found.environment,
        "replayed": replayed,
        "revisions": found.environment.revisions.order_by("-number").values_list("number", flat=True)[:100],
        "steps": [_step(step) for step in replayed.differing],
        "beginning": shown_changes(replayed.begins_with)[:MOST_ROWS] if replayed.begins_with else [],
        "beginning_rows": len(rows),
        "beginning_cut": len(rows) > MOST_ROWS,
    }
    return render(request, "rollouts/drift.html", context)


@require_POST
@requires(Act.TRY)
def trajectory_scratch(request: SignedInRequest, trajectory_id: int, index: int) -> HttpResponse:
    """Start the person's scratch console from after a step, by making its calls again; 0 is the beginning."""
    found = _find(trajectory_id)
    if not 0 <= index <= found.step_count:
        raise Missing(f"This trajectory has {found.step_count} steps; there is no step {index}.")
    environment = found.environment
    assert environment.current is not None
    played = [record.load() for record in found.steps.filter(index__lte=index)]
    calls = [step.action for step in played if isinstance(step.action, ToolCall)]
    where = f"after step {index}" if index else "at the beginning"
    told = f"Your private instance stands {where} of {found.agent} on {found.task_id}."
    if found.revision_id != environment.current_id:
        told += (
            f" It was played on revision {found.revision.number} and is played again on revision "
            f"{environment.current.number}, where steps may go otherwise."
        )
    messages.info(request, told)
    return start_at(request, environment, calls, seed=found.seed)


def _find(trajectory_id: int) -> TrajectoryRecord:
    found = (
        TrajectoryRecord.objects.select_related("environment__current", "revision")
        .filter(pk=trajectory_id)
        .first()
    )
    if found is None:
        raise Missing(f"There is no trajectory {trajectory_id}.", remedy="Choose one from the list.")
    return found


def _step(step: StepDrift) -> dict[str, Any]:
    recorded, found = pretty_json(step.recorded), pretty_json(step.found)
    return {
        "drift": step,
        "inherited": step.differs == ("state",),
        "observations": [("Recorded", recorded[:LONGEST]), ("Now", found[:LONGEST])],
        "cut": max(len(recorded), len(found)) > LONGEST,
        "rows": [_row(row) for row in step.rows[:MOST_ROWS]],
        "more_rows": max(0, len(step.rows) - MOST_ROWS),
    }


def _row(row: RowDrift) -> dict[str, Any]:
    """A row with every column in which the two ends differ."""
    recorded = (row.recorded.after or {}) if row.recorded else {}
    found = (row.found.after or {}) if row.found else {}
    columns = [name for name in dict.fromkeys([*recorded, *found]) if recorded.get(name) != found.get(name)]
    return {
        "table": row.table,
        "key": key_text(row.key),
        "was": row.recorded.kind if row.recorded else "left alone",
        "now": row.found.kind if row.found else "left alone",
        "cells": [(name, recorded.get(name), found.get(name)) for name in columns],
        "ends": bool(recorded) and bool(found),
    }
