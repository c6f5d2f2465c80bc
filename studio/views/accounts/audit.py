"""The audit trail, for administrators: a page, and the same lines as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator

from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render

from studio.forms.audit import AuditForm
from studio.models import Act
from studio.presentation.downloads import StreamedFile
from studio.services.audit import trail
from studio.views.access import SignedInRequest, requires

PER_PAGE = 50


@requires(Act.MANAGE)
def audit(request: SignedInRequest) -> HttpResponseBase:
    """Who did what, when and from where, newest first; `format=jsonl` is the same as a file."""
    form = AuditForm(request.GET)
    wanted = form.wanted()
    if request.GET.get("format") == "jsonl":
        return _file(wanted)
    pages = Paginator(trail.entries(wanted), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "section": "people",
        "form": form,
        "pages": pages,
        "entries": [trail.entry_of(stored) for stored in pages],
    }
    return _page(request, context)


def _page(request: SignedInRequest, context: dict[str, object]) -> HttpResponse:
    return render(request, "account/audit.html", context)


def _file(wanted: trail.AuditFilter) -> StreamedFile:
    def texts() -> Iterator[str]:
        for entry in trail.lines(wanted):
            yield json.dumps(entry.as_json(), ensure_ascii=False) + "\n"

    response = StreamedFile(texts(), content_type="application/jsonl; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="audit.jsonl"'
    return response
