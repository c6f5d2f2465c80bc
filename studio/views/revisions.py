"""One revision: who made it, why, how its claims are tried again, and what it changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from studio.models import Act, EnvironmentRecord, Revision
from studio.services import reviews, revision_differences, trials
from studio.services.revision_differences import Difference, changed_units, revision_of
from studio.views.access import requires
from studio.views.environment_shell import find, page
from studio.views.row_changes import Change, shown_changes
from studio.views.runs import difference as text_difference
from synthesis.documents.state_diff import StateDiff

MOST_ROWS = 100
"""Changed rows of one comparison that are shown; the rest is counted."""


@dataclass(frozen=True)
class Shown:
    """One difference as it is shown."""

    title: str
    part: str
    kind: str
    lines: list[tuple[str, str, str]]
    rows: list[Change]
    more: int
    """Changed rows beyond the ones shown."""


@requires(Act.VIEW)
def environment_revision(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """A revision beside the one before, or beside the one `since` names; `unit` narrows to one thing."""
    record = find(name)
    revision = revision_of(record, number)
    since = request.GET.get("since", "")
    before = _before(record, revision, int(since) if since.isdecimal() and len(since) < 9 else number - 1)
    unit = request.GET.get("unit", "")
    found = revision_differences.differences(before, revision, unit=unit) if before else []
    context = {
        "shown": revision,
        "before": before,
        "unit": unit,
        "units": changed_units(before, revision) if before else [],
        "differences": [_shown(each) for each in found],
        "trial": trials.trial_of(revision),
        "is_current": revision.pk == record.current_id,
        "why_not": reviews.may_review(user=request.user, record=record),  # type: ignore[arg-type]
    }
    return page(request, record, "environment_history", "revisions/revision.html", context)


@requires(Act.VIEW)
def revision_trial(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """How far the claims are tried; it asks for itself again until they are."""
    record = find(name)
    revision = revision_of(record, number)
    context = {
        "record": record,
        "shown": revision,
        "trial": trials.trial_of(revision),
        "is_current": revision.pk == record.current_id,
        "why_not": reviews.may_review(user=request.user, record=record),  # type: ignore[arg-type]
    }
    return render(request, "revisions/_trial.html", context)


def _before(record: EnvironmentRecord, revision: Revision, number: int) -> Revision | None:
    return revision_of(record, number) if 0 < number < revision.number else None


def _shown(found: Difference) -> Shown:
    rows = found.rows.changes if found.rows else ()
    facts: dict[str, Any] = {"title": found.title, "part": found.part}
    if rows:
        cut = StateDiff(changes=rows[:MOST_ROWS])
        return Shown(
            **facts, kind="changed", lines=[], rows=shown_changes(cut), more=max(0, len(rows) - MOST_ROWS)
        )
    kind = "changed" if found.before and found.after else ("added" if found.after else "removed")
    return Shown(**facts, kind=kind, lines=text_difference(found.before, found.after), rows=[], more=0)
