"""Schema import: hand in a schema, see what was read of it, start the run that makes an environment of it."""

from __future__ import annotations

import re
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from studio.forms.intake import SchemaImportForm
from studio.models import Act
from studio.services.synthesis import schema_import
from studio.services.synthesis.schema_import import Upload
from studio.views.access import SignedInRequest, requires
from synthesis.documents.intake import Intake
from synthesis.errors import InvalidInput

_PLACE = re.compile(r"\bline (\d{1,9})\b(?:, column (\d{1,9}))?")
_LONGEST_LINE = 160


@requires(Act.SYNTHESISE)
def environment_from_schema(request: SignedInRequest) -> HttpResponse:
    """First what was read and what could not be converted, then the run."""
    form = SchemaImportForm(request.POST or None, request.FILES or None)
    if request.method != "POST" or not form.is_valid():
        return _page(request, form)
    upload = Upload(text=form.cleaned_data["schema"])
    try:
        upload = form.upload(_text(form))
        result = schema_import.read_upload(upload)
    except InvalidInput as error:
        shown = form.again(upload)
        shown.add_error("schema", str(error))
        return _page(request, shown, place=_place(upload.text, str(error)))
    if request.POST.get("step") == "start" and request.POST.get("shown") == result.fingerprint:
        run = schema_import.start_intake(
            intake=result,
            seed=upload.seed,
            tasks=form.cleaned_data["tasks"],
            requested_by=request.user,
        )
        messages.success(request, "The run is queued. This page updates by itself.")
        return redirect(run)
    if request.POST.get("step") == "start":
        messages.info(request, "The input has changed since the preview. Check it again.")
    return _page(request, form.again(upload), result=result)


def _page(
    request: HttpRequest,
    form: SchemaImportForm,
    *,
    result: Intake | None = None,
    place: dict[str, Any] | None = None,
) -> HttpResponse:
    context = {
        "form": form,
        "place": place,
        "section": "environments",
        **(_intake_context(result) if result else {}),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "environments/from_schema.html", context, status=status)


def _text(form: SchemaImportForm) -> str:
    file = form.cleaned_data.get("schema_file")
    if file is None:
        text: str = form.cleaned_data["schema"]
        return text
    return schema_import.text_of_upload(file.read(), file.name or "the file")


def _intake_context(result: Intake) -> dict[str, Any]:
    rows = result.seed_data.rows if result.seed_data is not None else {}
    return {
        "intake": result,
        "rows": {name: len(each) for name, each in rows.items()},
        "columns": sum(len(table.columns) for table in result.schema.tables),
        "references": sum(len(table.foreign_keys) for table in result.schema.tables),
        "lost": [finding for finding in result.findings if finding.severity == "warning"],
        "changed": [finding for finding in result.findings if finding.severity == "note"],
    }


def _place(text: str, message: str) -> dict[str, Any] | None:
    """The line that a message names, cut around its column."""
    named = _PLACE.search(message)
    lines = text.split("\n")
    if named is None or not 0 < int(named[1]) <= len(lines):
        return None
    line, column = lines[int(named[1]) - 1], int(named[2] or 1)
    start = max(column - _LONGEST_LINE // 2, 0)
    return {"line": int(named[1]), "text": line[start : start + _LONGEST_LINE].rstrip("\r")}
