"""What every list page does: narrow, sort, page, and count what is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import django_filters
import django_tables2 as tables
from django.db.models import QuerySet
from django.http import HttpRequest

from studio.filters.facets import chips, facets

PER_PAGE = 25


def listed(
    request: HttpRequest,
    *,
    queryset: QuerySet[Any],
    filterset: type[django_filters.FilterSet],
    table: type[tables.Table],
    names: Mapping[str, str],
    exclude: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The context of a list page: the table, its facets, the filters that stand.

    Args:
        request: Whose address holds filters, order and page.
        queryset: The whole list.
        filterset: What it can be narrowed by.
        table: How it is shown.
        names: Facets to show, field to title.
        exclude: Columns to leave out.
    """
    found = filterset(request.GET, queryset=queryset)
    shown = table(found.qs, exclude=exclude, prefix="", order_by_field="sort", page_field="page")
    tables.RequestConfig(request, paginate={"per_page": PER_PAGE, "silent": True}).configure(shown)
    shown_facets = facets(filterset, request.GET, queryset, names)
    words = {choice.value: choice.title for facet in shown_facets for choice in facet.choices}
    return {
        "table": shown,
        "count": shown.page.paginator.count,
        "facets": shown_facets,
        "chips": chips(request.GET, {**names, "q": "Words"}, words),
        "query": request.GET.get("q", ""),
        "kept": [
            (name, value)
            for name, values in request.GET.lists()
            if name not in ("q", "page")
            for value in values
        ],
    }
