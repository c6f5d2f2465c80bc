"""What a table of the data browser is narrowed by, as addresses: order, choices with counts, pages."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest

from studio.presentation.plain_tables import PlainTable
from studio.presentation.table_queries import (
    LONGEST_VALUE,
    MOST_FACETS,
    MOST_VALUES,
    PER_PAGE,
    Narrowing,
    place_of,
    read_after,
)
from synthesis.documents.schema import Column, Table

Rows = list[dict[str, Any]]


def narrowing_of(request: HttpRequest, table: Table) -> Narrowing:
    """What the address asks for."""
    names = {column.name for column in table.columns}
    equal = tuple(
        (key.removeprefix("is."), str(value))
        for key, value in request.GET.items()
        if key.removeprefix("is.") in names and key.startswith("is.")
    )
    nulls = tuple(name for name in request.GET.getlist("null") if name in names)
    after = read_after(request.GET["after"]) if "after" in request.GET else None
    return Narrowing(request.GET.get("q", "").strip(), equal, nulls, request.GET.get("sort", ""), after)


def changed(request: HttpRequest, **changes: str | None) -> str:
    """This address with some parameters changed; None takes one away."""
    params = request.GET.copy()
    for key, value in changes.items():
        params.pop(key, None)
        if value is not None:
            params[key] = value
    return "?" + params.urlencode()


def next_page(request: HttpRequest, rows: list[dict[str, Any]]) -> str:
    """The address of the page after these rows; "" where there is none."""
    if len(rows) <= PER_PAGE:
        return ""
    return changed(request, after=json.dumps(place_of(rows[PER_PAGE - 1])))


def header(request: HttpRequest, plain: PlainTable, column: Column, sort: str) -> dict[str, Any]:
    """A column's head: sorts by it, and the other way round when it sorts already."""
    ascending, descending = sort == column.name, sort == f"-{column.name}"
    wanted = f"-{column.name}" if ascending else column.name
    return {
        "column": column,
        "title": plain.column(column.name),
        "number": plain.is_number(column.name),
        "in_name": plain.in_name(column.name),
        "names": plain.words.naming(plain.table.name) == (column.name,),
        "address": changed(request, sort=wanted, after=None),
        "order": "ascending" if ascending else ("descending" if descending else ""),
    }


def facets(request: HttpRequest, plain: PlainTable, table: Table, counted: Rows) -> list[dict[str, Any]]:
    """The columns that look like a choice, each value with its count and the address that chooses it.

    Args:
        request: Whose address they change.
        plain: The table in plain language.
        table: The table.
        counted: What `facet_query` finds there.
    """
    values: dict[int, list[dict[str, Any]]] = {}
    for row in counted:
        values.setdefault(row["c"], []).append(row)
    results = []
    for index, rows in values.items():
        if not 1 < len(rows) <= MOST_VALUES or any(len(row["v"] or "") > LONGEST_VALUE for row in rows):
            continue
        name = table.columns[index].name
        choices = [
            {**_choice(request, name, row["v"], row["n"]), "title": plain.choice(name, row["v"])}
            for row in rows
        ]
        results.append({"name": name, "title": plain.column(name), "choices": choices})
    return results[:MOST_FACETS]


def _choice(request: HttpRequest, name: str, value: str | None, count: int) -> dict[str, Any]:
    if value is None:
        chosen = name in request.GET.getlist("null")
        address = changed(request, null=None if chosen else name, after=None)
    else:
        chosen = request.GET.get(f"is.{name}") == value
        address = changed(request, **{f"is.{name}": None if chosen else value, "after": None})
    return {"value": value, "count": count, "chosen": chosen, "address": address}
