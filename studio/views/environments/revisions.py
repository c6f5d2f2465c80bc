"""One revision: who made it, why, how its claims are checked again, and what it changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from studio.models import Act, EnvironmentRecord, Revision
from studio.presentation.revision_words import PlainDifference, RevisionWords
from studio.presentation.row_changes import Change, shown_changes
from studio.services.browse import visited_revisions
from studio.services.environments import quality_gates, revision_differences, trials
from studio.services.environments.revision_differences import Difference, changed_units, revision_of
from studio.services.review import reviews
from studio.templatetags.shell import shows_code
from studio.views.access import requires
from studio.views.environments.environment_shell import find, page
from studio.views.runs.runs import difference as text_difference
from synthesis.documents.state_diff import StateDiff

MOST_ROWS = 100
"""Changed rows of one comparison that are shown; the rest is counted."""


@dataclass(frozen=True)
class ShownDifference:
    """One difference as it is shown."""

    title: str
    part: str
    kind: str
    lines: list[tuple[str, str, str]]
    rows: list[Change]
    more: int
    """Changed rows beyond the ones shown."""
    note: str = ""
    """What is said where no line differs that people read."""


@requires(Act.VIEW)
def environment_revision(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """A revision beside the one before, or beside the one `since` names; `unit` narrows to one thing."""
    record = find(name)
    revision = revision_of(record, number)
    since = request.GET.get("since", "")
    if revision.pk == record.current_id:
        visited_revisions.saw(record, request.user, revision.number)
    before = _before(record, revision, int(since) if since.isdecimal() and len(since) < 9 else number - 1)
    unit = request.GET.get("unit", "")
    differences = revision_differences.differences(before, revision, unit=unit) if before else []
    words = RevisionWords(record, before, revision) if before and not shows_code(request) else None
    called = words.unit if words else str
    context = {
        "shown": revision,
        "before": before,
        "unit": unit,
        "unit_title": called(unit) if unit else "",
        "units": [(each, called(each)) for each in changed_units(before, revision)] if before else [],
        "differences": [_in_words(each) for each in words.in_words(differences)]
        if words
        else [_shown(each) for each in differences],
        **_standing(request, record, revision),
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
        **_standing(request, record, revision),
    }
    return render(request, "revisions/_trial.html", context)


def _standing(request: HttpRequest, record: EnvironmentRecord, revision: Revision) -> dict[str, Any]:
    """How far the claims of a revision are checked, and what blocks its approval."""
    assert record.current is not None
    trial, is_current = trials.trial_of(revision), revision.pk == record.current_id
    report = trial.report if is_current else quality_gates.latest_report(record.current)
    blocking = quality_gates.blocking_flags(record)
    return {
        "trial": trial,
        "is_current": is_current,
        "barriers": quality_gates.barriers(record, report, blocking),
        "blocker": quality_gates.blocker(record, report, blocking=blocking),
        "why_not": reviews.may_review(user=request.user, record=record),  # type: ignore[arg-type]
    }


def _before(record: EnvironmentRecord, revision: Revision, number: int) -> Revision | None:
    return revision_of(record, number) if 0 < number < revision.number else None


def _in_words(plain: PlainDifference) -> ShownDifference:
    """A difference without code."""
    of = plain.of
    shown = _shown(replace(of, title=plain.title, before=plain.before, after=plain.after))
    return replace(shown, kind="changed", note=plain.note) if plain.note else shown


def _shown(result: Difference) -> ShownDifference:
    rows = result.rows.changes if result.rows else ()
    facts: dict[str, Any] = {"title": result.title, "part": result.part}
    if rows:
        cut = StateDiff(changes=rows[:MOST_ROWS])
        return ShownDifference(
            **facts, kind="changed", lines=[], rows=shown_changes(cut), more=max(0, len(rows) - MOST_ROWS)
        )
    kind = "changed" if result.before and result.after else ("added" if result.after else "removed")
    return ShownDifference(
        **facts, kind=kind, lines=text_difference(result.before, result.after), rows=[], more=0
    )
