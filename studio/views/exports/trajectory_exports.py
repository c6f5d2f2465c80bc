"""Exports of trajectories: chosen by filter, tried dry, built as a run, downloaded."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from studio.filters.trajectories import FACETS_EVERYWHERE, UNLISTED, TrajectoryFilter
from studio.forms.picked import EpisodesForm, PickedField
from studio.forms.trajectory_exports import SelectionForm, TrajectoryExportForm
from studio.models import Act, TrajectoryRecord
from studio.services.errors import Missing, NotReady, ServiceError
from studio.services.exports import stored_archives
from studio.services.exports import trajectory_exports as services
from studio.services.exports.trajectory_export_plan import ExportPlan, plan
from studio.views.access import SignedInRequest, requires
from studio.views.browse.catalogue import number
from synthesis.documents.verdict import LABEL_TITLES
from synthesis.errors import InvalidInput, UnknownName

SHOWN = 20
"""Rows of a list on the page; the data card has all."""
TITLES = {**FACETS_EVERYWHERE, **UNLISTED, "q": "Words", "disputed": "Disputed"}


@requires(Act.EXPORT)
def trajectory_export_new(request: SignedInRequest) -> HttpResponse:
    """Choose, see what would be in it by split and why not more, and build exactly that."""
    building = request.method == "POST"
    given = request.POST if building else request.GET
    offers = EpisodesForm.offers()
    narrowed = _narrowing(given, SelectionForm(offers=offers))
    filters = TrajectoryFilter(narrowed, queryset=TrajectoryRecord.objects.none())
    selection = filters.selection
    form = TrajectoryExportForm(given if "format" in given else None)
    refused = _unread(filters)
    export_plan = None
    if not refused:
        export_plan, refused = _plan(form, selection)
    if building and form.is_valid() and export_plan is not None:
        try:
            run = services.start_export(
                selection=selection,
                wanted=form.settings(),
                requested_by=request.user,
                through=number(given.get("through")) or None,
                shown=number(given.get("shown")),
            )
        except (ServiceError, InvalidInput, UnknownName) as error:
            refused = str(error)
        else:
            messages.success(request, "The export is queued. This page updates by itself.")
            return redirect(run)
    context = {
        "section": "trajectories",
        "form": form,
        "chosen": SelectionForm(initial=_initial(narrowed), offers=offers),
        "chips": _chips(narrowed),
        "plan": export_plan,
        "refused": refused,
        "splits": [(split, *counts) for split, counts in export_plan.splits().items()] if export_plan else [],
        "labels": [(LABEL_TITLES[label], n) for label, n in export_plan.labels] if export_plan else [],  # type: ignore[index]
        "environments": _largest(export_plan) if export_plan else [],
        "moved": [each for each in export_plan.environments if each.assigned.moved][:SHOWN]
        if export_plan
        else [],
        "other_parameters": [(name, v) for name, values in narrowed.lists() for v in values] + _hidden(form),
        "others": _others(narrowed),
        "list": f"{reverse('trajectories')}?{narrowed.urlencode()}",
        "before": services.exported()[:5],
    }
    wrong = building or bool(filters.form.errors) or (form.is_bound and not form.is_valid())
    return render(request, "trajectories/export.html", context, status=422 if wrong else 200)


@requires(Act.VIEW)
def trajectory_export(request: HttpRequest, run_id: int) -> HttpResponse:
    """One export: its data card and the archive."""
    run = services.find(run_id)
    if not run.result:
        return redirect(run)
    card = run.result["card"]
    context = {
        "section": "trajectories",
        "run": run,
        "card": card,
        "there": _there(run),
        "tables": [
            ("Lines by split", card["lines"]),
            ("Trajectories by split", card["splits"]),
            ("By verdict", {LABEL_TITLES.get(label, label): n for label, n in card["labels"].items()}),
            ("By task kind", card["kinds"]),
            ("By difficulty", card["difficulties"]),
            ("By agent", card["agents"]),
        ],
        "environments": sorted(card["environments"].items(), key=lambda each: (-each[1], each[0]))[:SHOWN],
        "moved": card["moved"][:SHOWN],
    }
    return render(request, "trajectories/exported.html", context)


@requires(Act.VIEW)
def trajectory_export_download(_: HttpRequest, run_id: int) -> FileResponse:
    """The archive."""
    return stored_archives.download(services.archive_of(services.find(run_id)))


def _hidden(form: TrajectoryExportForm) -> list[tuple[str, str]]:
    """The settings of the dry run, for the form that builds exactly it; an empty box is left out."""
    values = ((bound.name, bound.value()) for bound in form)
    return [(name, str(value)) for name, value in values if value not in (None, "", False)]


def _initial(narrowed: QueryDict) -> dict[str, Any]:
    """The active filters, for the fields that change them."""
    several = ("label", "state", "kind", "difficulty")
    return {name: values if name in several else values[0] for name, values in narrowed.lists()}


def _others(narrowed: QueryDict) -> list[tuple[str, str]]:
    """Filters that no field changes, and further values of those that have one."""
    several = ("label", "state", "kind", "difficulty")
    results = []
    for name, values in narrowed.lists():
        remaining = values if name not in SelectionForm.base_fields else [] if name in several else values[1:]
        results += [(name, value) for value in remaining]
    return results


def _narrowing(given: QueryDict, form: SelectionForm) -> QueryDict:
    """The filters of an address, without what the export itself is asked; titles stand for their names."""
    narrowed = QueryDict(mutable=True)
    for name, values in given.lists():
        if name in TrajectoryFilter.base_filters and (there := [value for value in values if value]):
            field = form.fields.get(name)
            named = map(field.named, there) if isinstance(field, PickedField) else there
            narrowed.setlist(name, list(named))
    return narrowed


def _unread(filters: TrajectoryFilter) -> str:
    """Which filters have a value that none can have: left out, more would be exported than was asked for."""
    return " ".join(
        f"{TITLES.get(name, name)}: {' '.join(map(str, errors))}"
        for name, errors in filters.form.errors.items()
    )


def _plan(form: TrajectoryExportForm, selection: Any) -> tuple[ExportPlan | None, str]:
    """The dry run, or why there is none."""
    if form.is_bound and not form.is_valid():
        return None, ""
    try:
        return plan(selection, form.settings()), ""
    except (InvalidInput, UnknownName, NotReady) as error:
        return None, str(error)


def _chips(narrowed: QueryDict) -> list[dict[str, str]]:
    """What narrows, each with the address without it."""
    results = []
    for name, values in narrowed.lists():
        for value in values:
            without = narrowed.copy()
            without.setlist(name, [other for other in values if other != value])
            shown = LABEL_TITLES.get(value, value)  # type: ignore[call-overload]
            results.append(
                {"title": TITLES.get(name, name), "value": shown, "address": "?" + without.urlencode()}
            )
    return results


def _largest(export_plan: ExportPlan) -> list[Any]:
    return sorted(export_plan.environments, key=lambda each: (-each.trajectories, each.name))[:SHOWN]


def _there(run: Any) -> bool:
    try:
        return bool(services.archive_of(run))
    except Missing:
        return False
