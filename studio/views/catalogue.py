"""The catalogue of environments, and the page that asks for a new one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from studio.filters.environments import FACETS, EnvironmentFilter
from studio.forms.synthesis import SynthesisForm
from studio.models import Act, EnvironmentRecord
from studio.services import synthesis
from studio.tables.environments import EnvironmentTable
from studio.views.access import SignedInRequest, requires
from studio.views.exports import csv_response, json_response
from studio.views.lists import listed
from synthesis.errors import InvalidInput

EXPORTED = (
    "name", "title", "category", "state", "revision", "fingerprint", "tables", "rows", "tools", "tasks",
    "checks_passed", "checks_failed", "open_flags", "updated_at",
)  # fmt: skip
"""Columns of the catalogue as a file."""


@requires(Act.VIEW)
def environments(request: HttpRequest) -> HttpResponse:
    """Every environment, narrowed and sorted by the address."""
    context = listed(
        request,
        queryset=EnvironmentRecord.objects.listed(),
        filterset=EnvironmentFilter,
        table=EnvironmentTable,
        names=FACETS,
    )
    if request.GET.get("format") in ("csv", "json"):
        kept = csv_response if request.GET["format"] == "csv" else json_response
        return kept("environments", EXPORTED, _exported(context["table"]))
    return render(request, "environments/list.html", {**context, "section": "environments"})


def _exported(table: EnvironmentTable) -> Iterator[list[Any]]:
    """Every environment that the address narrows the catalogue to, in its order, not only the page shown."""
    of_revision = {"revision": "number", "fingerprint": "fingerprint", "tables": "tables", "rows": "rows",
                   "tools": "tools", "tasks": "tasks", "checks_passed": "checks_passed",
                   "checks_failed": "checks_failed"}  # fmt: skip
    for row in table.rows:
        record = row.record
        values = {name: getattr(record.current, attribute) for name, attribute in of_revision.items()}
        values["updated_at"] = record.updated_at.isoformat()
        yield [values[name] if name in values else getattr(record, name) for name in EXPORTED]


@requires(Act.SYNTHESISE)
def environment_new(request: SignedInRequest) -> HttpResponse:
    """Ask for a new environment; the run's page shows how it is made."""
    form = SynthesisForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            wanted = synthesis.new_request(**form.request())
        except InvalidInput as error:
            form.add_error(None, str(error))
        else:
            run = synthesis.start_synthesis(request=wanted, requested_by=request.user)
            messages.success(request, "The run is queued. This page follows it.")
            return redirect(run)
    status = 422 if form.is_bound else 200
    return render(request, "environments/new.html", {"form": form, "section": "environments"}, status=status)
