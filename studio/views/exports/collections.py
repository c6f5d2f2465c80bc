"""Bundles of many environments: chosen by filter, tried dry, built as a run, listed and downloaded."""

from __future__ import annotations

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from studio.filters.environments import FACETS, UNLISTED, EnvironmentFilter, matching
from studio.filters.facets import chips, facets, yes_or_no_words
from studio.forms.bundles import CollectionForm
from studio.models import Act, BundleCollection, EnvironmentRecord
from studio.presentation.lists import configure
from studio.services.environments.titles import titles_by_name
from studio.services.errors import Conflict, Missing, NotReady
from studio.services.exports import collections as services
from studio.services.exports import stored_archives
from studio.tables.bundles import CollectionTable
from studio.views.access import SignedInRequest, requires
from studio.views.browse.catalogue import SHOWN, called, narrowing, number
from synthesis.errors import InvalidInput


@requires(Act.VIEW)
def collections(request: HttpRequest) -> HttpResponse:
    """Every collection, newest first."""
    table = CollectionTable(
        BundleCollection.objects.select_related("created_by").defer("manifest"),
        order_by_field="sort",
        page_field="page",
    )
    configure(request, table)
    return render(request, "bundles/collections.html", {"table": table, "section": "bundles"})


@requires(Act.EXPORT)
def collection_new(request: SignedInRequest) -> HttpResponse:
    """Choose by filter, see what would be in it and why not more, and build exactly that."""
    given = request.POST if request.method == "POST" else request.GET
    narrowed = narrowing(given)
    form = CollectionForm(request.POST or None)
    status = 422 if form.is_bound else 200
    if request.method == "POST" and form.is_valid():
        try:
            run = services.start_collection(
                matching=matching(narrowed),
                seen=given.get("seen", ""),
                shown=number(given.get("shown")),
                query=narrowed.urlencode(),
                requested_by=request.user,
                **form.cleaned_data,
            )
        except (InvalidInput, NotReady) as error:
            form.add_error(None, str(error))
        except Conflict as refused:
            form.add_error(None, f"{refused.message} {refused.remedy}")
            status = refused.status
        else:
            messages.success(request, "The collection is queued. This page updates by itself.")
            return redirect(run)
    plan = services.plan(matching(narrowed))
    shown_facets = facets(
        EnvironmentFilter, narrowed, EnvironmentRecord.objects.listed(), FACETS, called(request)
    )
    words = {choice.value: choice.title for facet in shown_facets for choice in facet.choices}
    words |= yes_or_no_words(EnvironmentFilter, narrowed)
    context = {
        "section": "bundles",
        "form": form,
        "plan": plan,
        "included": plan.included[:SHOWN],
        "excluded": plan.excluded[:SHOWN],
        "reasons": plan.reasons(),
        "facets": shown_facets,
        "chips": chips(narrowed, {**FACETS, **UNLISTED, "q": "Words"}, words),
        "query": narrowed.get("q", ""),
        "other_parameters": [(name, value) for name, values in narrowed.lists() for value in values],
        "catalogue": f"{reverse('environments')}?{narrowed.urlencode()}",
    }
    return render(request, "bundles/choose.html", context, status=status)


@requires(Act.VIEW)
def collection(request: HttpRequest, collection_id: int) -> HttpResponse:
    """One collection: its manifest with digests, decisions and waivers."""
    bundle_collection = _find(collection_id)
    links = {
        bundle.revision.fingerprint: bundle.get_absolute_url()
        for bundle in bundle_collection.bundles.select_related("revision").only("pk", "revision__fingerprint")
    }
    entries = bundle_collection.manifest.get("environments", [])
    shown = entries[: 5 * SHOWN]
    titles = titles_by_name(entry["name"] for entry in shown if entry["waivers"])
    context = {
        "section": "bundles",
        "collection": bundle_collection,
        "there": stored_archives.is_there(bundle_collection.path),
        "entries": [
            (entry, links.get(entry["fingerprint"], ""), titles.get(entry["name"])) for entry in shown
        ],
        "waived": sum(bool(entry["waivers"]) for entry in entries),
    }
    return render(request, "bundles/collection.html", context)


@requires(Act.VIEW)
def collection_download(_: HttpRequest, collection_id: int) -> FileResponse:
    """The archive."""
    return stored_archives.download(_find(collection_id).path)


def _find(collection_id: int) -> BundleCollection:
    bundle_collection = (
        BundleCollection.objects.select_related("run", "created_by").filter(pk=collection_id).first()
    )
    if bundle_collection is None:
        raise Missing(f"There is no collection {collection_id}.", remedy="Choose one from the list.")
    return bundle_collection
