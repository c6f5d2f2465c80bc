"""Bundles: the list, one with its manifest, the archive itself, and asking for another."""

from __future__ import annotations

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from studio.forms.bundles import ExportForm, ImportForm
from studio.models import Act, BundleRecord
from studio.presentation.lists import configure
from studio.services.errors import Missing, NotReady
from studio.services.exports import bundles as services
from studio.services.exports import stored_archives
from studio.services.exports.format_words import FORMAT_MEANINGS, format_meaning, format_title
from studio.tables.bundles import BundleTable
from studio.views.access import SignedInRequest, go_on_for, requires
from studio.views.environments.environment_shell import find, page
from synthesis.bundles.registry import usable
from synthesis.errors import InvalidInput


@requires(Act.VIEW)
def bundles(request: HttpRequest) -> HttpResponse:
    """Every archive, newest first."""
    table = BundleTable(
        BundleRecord.objects.select_related("environment", "revision", "created_by"),
        order_by_field="sort",
        page_field="page",
    )
    configure(request, table)
    return render(request, "bundles/list.html", {"table": table, "section": "bundles"})


@requires(Act.VIEW)
def bundle(request: HttpRequest, bundle_id: int) -> HttpResponse:
    """One archive: what is in it, and how to use it."""
    bundle_record = _find(bundle_id)
    context = {
        "bundle": bundle_record,
        "format": format_title(bundle_record.codec),
        "meaning": format_meaning(bundle_record.codec),
        "files": sorted(bundle_record.manifest.items()),
        "there": stored_archives.is_there(bundle_record.path),
        "section": "bundles",
    }
    return render(request, "bundles/bundle.html", context)


@requires(Act.VIEW)
def bundle_download(_: HttpRequest, bundle_id: int) -> FileResponse:
    """The archive."""
    return stored_archives.download(_find(bundle_id).path)


@requires(Act.IMPORT)
def bundle_import(request: SignedInRequest) -> HttpResponse:
    """Take in an environment that was exported elsewhere."""
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    if form.is_valid():
        file = form.cleaned_data["bundle"]
        try:
            revision = services.import_uploaded(
                pieces=file.chunks(),
                name=file.name or "",
                imported_by=request.user,
                with_trajectories=form.cleaned_data["with_trajectories"],
            )
        except InvalidInput as error:
            form.add_error("bundle", str(error))
        else:
            messages.success(
                request, f"{revision.environment.title} is here now. Reviews stay where they were given."
            )
            return redirect(revision.environment)
    context = {"form": form, "section": "bundles"}
    return render(request, "bundles/import.html", context, status=422 if form.is_bound else 200)


@requires(Act.VIEW)
def environment_export(request: SignedInRequest, name: str) -> HttpResponse:
    """What was exported of an environment, what blocks it, and the form for another."""
    if request.method == "POST":
        go_on_for(request, Act.EXPORT)
    record = find(name)
    form = ExportForm(request.POST or None, codecs=usable())
    if request.method == "POST" and form.is_valid():
        try:
            run = services.start_export(record=record, requested_by=request.user, **form.cleaned_data)
        except NotReady as refused:
            form.add_error("waiver", f"{refused.message} {refused.remedy}".strip())
        except InvalidInput as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, "The export is queued. This page updates by itself.")
            return redirect(run)
    context = {
        "form": form,
        "meanings": FORMAT_MEANINGS,
        "bundles": record.bundles.select_related("revision", "created_by"),
    }
    response = page(request, record, "environment_export", "bundles/export.html", context)
    response.status_code = 422 if form.is_bound else 200
    return response


def _find(bundle_id: int) -> BundleRecord:
    bundle_record = (
        BundleRecord.objects.select_related("environment", "revision", "run", "created_by")
        .filter(pk=bundle_id)
        .first()
    )
    if bundle_record is None:
        raise Missing(f"There is no bundle {bundle_id}.", remedy="Choose one from the list of bundles.")
    return bundle_record
