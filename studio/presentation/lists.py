"""What every list page does: narrow, sort, page, and count what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import django_filters
import django_tables2 as tables
from django.db.models import QuerySet
from django.http import HttpRequest

from studio.filters.facets import chips, facets, yes_or_no_words

PER_PAGE = 25


def configure(request: HttpRequest, table: tables.Table) -> None:
    """Sort a table and choose its page as the address asks; how much a page holds is not for it to say."""
    table.request = request
    if order := request.GET.getlist(table.prefixed_order_by_field):
        table.order_by = order
    table.paginate(per_page=PER_PAGE)
    table.page = table.paginator.get_page(request.GET.get(table.prefixed_page_field))


def listed(
    request: HttpRequest,
    *,
    queryset: QuerySet[Any],
    filterset: type[django_filters.FilterSet],
    table: type[tables.Table],
    names: Mapping[str, str],
    exclude: tuple[str, ...] = (),
    fixed: tuple[str, ...] = (),
    chosen: tuple[str, ...] = (),
    unlisted: Mapping[str, str] | None = None,
    called: Mapping[str, Callable[[str], str]] | None = None,
) -> dict[str, Any]:
    """The context of a list page: the table, its facets, the filters that stand.

    Args:
        request: Whose address holds filters, order and page.
        queryset: The whole list.
        filterset: What it can be narrowed by.
        table: How it is shown.
        names: Facets to show, field to title.
        exclude: Columns to leave out.
        fixed: Columns that are always shown, where columns can be chosen.
        chosen: Columns that stand beside them while the address chooses none; () where none can be chosen.
        unlisted: Filters without a facet, to the title of their chip.
        called: By filter, what one of its values is shown as, where the model does not say it.
    """
    result = filterset(request.GET, queryset=queryset)
    columns = _columns(request, table, fixed, chosen) if chosen else []
    exclude += tuple(column.name for column in columns if not column.shown)
    shown = table(result.qs, exclude=exclude, prefix="", order_by_field="sort", page_field="page")
    configure(request, shown)
    shown_facets = facets(filterset, request.GET, queryset, names, called)
    words = {choice.value: choice.title for facet in shown_facets for choice in facet.choices}
    words.update(
        {
            value: shown_as(value)
            for name, shown_as in (called or {}).items()
            for value in request.GET.getlist(name)
        }
    )
    words.update(yes_or_no_words(filterset, request.GET))
    return {
        "table": shown,
        "count": shown.page.paginator.count,
        "facets": shown_facets,
        "chips": chips(request.GET, {**names, **(unlisted or {}), "q": "Words"}, words),
        "query": request.GET.get("q", ""),
        "cleared": _cleared(request),
        "columns": columns,
        "other_parameters": _other_parameters(request, "q", "page"),
        "other_parameters_but_columns": _other_parameters(request, "columns", "page"),
    }


@dataclass(frozen=True)
class ChosenColumn:
    """A column that can be shown or not."""

    name: str
    title: str
    shown: bool


def _columns(
    request: HttpRequest, table: type[tables.Table], fixed: tuple[str, ...], chosen: tuple[str, ...]
) -> list[ChosenColumn]:
    """The columns of a table and whether the address shows them."""
    known = {name: column for name, column in table.base_columns.items() if name not in fixed}
    wanted = [name for name in request.GET.getlist("columns") if name in known] or chosen
    order = [name for name in table._meta.sequence if name in known]  # noqa: SLF001
    titles = {name: known[name].verbose_name or name.replace("_", " ").capitalize() for name in order}
    return [ChosenColumn(name, str(titles[name]), name in wanted) for name in order]


def _other_parameters(request: HttpRequest, *without: str) -> list[tuple[str, str]]:
    """The address's other parameters, for the hidden fields of a form."""
    return [(name, str(v)) for name, values in request.GET.lists() if name not in without for v in values]


def _cleared(request: HttpRequest) -> str:
    """The address without filters: order and columns stay."""
    params = request.GET.copy()
    for name in list(params):
        if name not in ("sort", "columns"):
            del params[name]
    return "?" + params.urlencode()
