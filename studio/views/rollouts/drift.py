"""Drift: a stored trajectory played again on a revision, and a scratch console that starts at a step."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.html import escape
from django.views.decorators.http import require_POST

from studio.models import Act, TrajectoryRecord
from studio.presentation.row_changes import key_text, shown_changes
from studio.services.errors import Missing
from studio.services.rollouts import drift as services
from studio.templatetags.texts import pretty_json
from studio.views.access import SignedInRequest, requires
from studio.views.browse.scratch import start_at
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tools import ToolCall
from synthesis.worlds.drift import RowDrift, StepDrift

PER_PAGE = 50
"""Steps that differ, on one page."""
LONGEST = 4_000
"""Characters of an observation that are shown."""
LONGEST_VALUE = 200
MOST_ROWS, MOST_COLUMNS = 10, 8
MOST_BEGINNING = 50
ROOM = 200_000
"""Characters of observations and rows on one page, as they are sent; then steps show their heads only."""


@requires(Act.TRY)
def trajectory_drift(request: SignedInRequest, trajectory_id: int) -> HttpResponse:
    """The trajectory's calls replayed on a revision, the current one unless another is asked for."""
    trajectory = _find(trajectory_id)
    raw = request.GET.get("revision", "")
    number = int(raw) if raw.isdecimal() and len(raw) < 10 else None
    replayed = services.replay_on(trajectory=trajectory, number=number)
    if request.GET.get("format") == "json":
        offset = request.GET.get("offset", "")
        return JsonResponse(
            replayed.as_json(
                full=request.GET.get("full") == "1",
                offset=int(offset) if offset.isdecimal() and len(offset) < 10 else 0,
            )
        )
    listed = Paginator(replayed.differing, PER_PAGE).get_page(request.GET.get("page"))
    room = _Room(ROOM)
    rows = replayed.begins_with.changes if replayed.begins_with and listed.number == 1 else ()
    context = {
        "section": "trajectories",
        "trajectory": trajectory,
        "environment": trajectory.environment,
        "replayed": replayed,
        "revisions": trajectory.environment.revisions.order_by("-number").values_list("number", flat=True)[
            :100
        ],
        "page": listed,
        "steps": [_step(step, room) for step in listed],
        "beginning": shown_changes(StateDiff(changes=rows), most=MOST_BEGINNING),
        "beginning_rows": len(rows),
        "beginning_cut": len(rows) > MOST_BEGINNING,
    }
    return render(request, "rollouts/drift.html", context)


@require_POST
@requires(Act.TRY)
def trajectory_scratch(request: SignedInRequest, trajectory_id: int, index: int) -> HttpResponse:
    """Start the person's scratch console from after a step, by making its calls again; 0 is the beginning."""
    trajectory = _find(trajectory_id)
    if not 0 <= index <= trajectory.step_count:
        raise Missing(f"This trajectory has {trajectory.step_count} steps; there is no step {index}.")
    environment = trajectory.environment
    assert environment.current is not None
    played = [record.load() for record in trajectory.steps.filter(index__lte=index)]
    calls = [step.action for step in played if isinstance(step.action, ToolCall)]
    where = f"after step {index}" if index else "at the beginning"
    message = f"Your private instance is {where} of {trajectory.agent} on {trajectory.task_id}."
    if trajectory.revision_id != environment.current_id:
        message += (
            f" It was recorded on revision {trajectory.revision.number} and is replayed on revision "
            f"{environment.current.number}, where steps may differ."
        )
    messages.info(request, message)
    return start_at(request, environment, calls, seed=trajectory.seed)


def _find(trajectory_id: int) -> TrajectoryRecord:
    trajectory = (
        TrajectoryRecord.objects.select_related("environment__current", "revision")
        .filter(pk=trajectory_id)
        .first()
    )
    if trajectory is None:
        raise Missing(f"There is no trajectory {trajectory_id}.", remedy="Choose one from the list.")
    return trajectory


class _Room:
    """Characters that are left on the page."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self, text: str, most: int) -> tuple[str, bool]:
        """As much of a text as there is room for, and whether it was cut."""
        shown = text[: min(most, max(0, self._left))]
        while shown and len(escape(shown)) > self._left:
            shown = shown[: len(shown) // 2]
        self._left -= len(escape(shown))
        return shown, len(shown) < len(text)


def _step(step: StepDrift, room: _Room) -> dict[str, Any]:
    seen = []
    if "observation" in step.differs:
        texts = (("Recorded", pretty_json(step.recorded)), ("Now", pretty_json(step.actual)))
        seen = [(title, *room.take(text, LONGEST)) for title, text in texts]
    return {
        "drift": step,
        "inherited": step.differs == ("state",),
        "observations": [(title, text) for title, text, _ in seen],
        "cut": any(cut for *_, cut in seen),
        "rows": [_row(row, room) for row in step.rows[:MOST_ROWS]],
        "more_rows": max(0, len(step.rows) - MOST_ROWS),
    }


def _row(row: RowDrift, room: _Room) -> dict[str, Any]:
    """A row with the columns in which the two ends differ."""
    was, now = row.kinds()
    columns = row.columns() if row.ends else []
    return {
        "table": row.table,
        "key": key_text(row.key),
        "was": was,
        "now": now,
        "cells": [
            (name, _value(before, room), _value(after, room))
            for name, before, after in columns[:MOST_COLUMNS]
        ],
        "more_columns": max(0, len(columns) - MOST_COLUMNS),
        "ends": row.ends,
    }


def _value(value: Any, room: _Room) -> Any:
    """A value as it is, or the beginning of a long one."""
    text = value if isinstance(value, str) else str(value)
    shown, cut = room.take(text, LONGEST_VALUE)
    return f"{shown}…" if cut else value
