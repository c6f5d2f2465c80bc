"""The data browser: the rows an environment starts with, table by table, row by row."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from studio.models import Act, EnvironmentRecord
from studio.services.environments import load_part
from studio.services.refusals import Missing
from studio.views.access import requires
from studio.views.environment_shell import find, page
from synthesis.documents.schema import Schema, Table
from synthesis.documents.seed_data import SeedData

PER_PAGE = 50
LABELS = ("name", "title", "label", "code", "number", "email", "first_name", "subject")
"""Columns that name a row to people, best first."""


@requires(Act.VIEW)
def environment_data(request: HttpRequest, name: str) -> HttpResponse:
    """Every table with its size."""
    record = find(name)
    schema, seeds = _parts(record)
    tables = [(table, len(seeds.rows.get(table.name, ()))) for table in schema.tables]
    return page(
        request, record, "environment_data", "data/tables.html", {"tables": tables, "actor": seeds.actor}
    )


@requires(Act.VIEW)
def environment_table(request: HttpRequest, name: str, table: str) -> HttpResponse:
    """One table: sorted, searched and paged by the address."""
    record = find(name)
    schema, seeds = _parts(record)
    found = _table(record, schema, table)
    rows = list(enumerate(seeds.rows.get(table, ()), start=1))
    words, order = request.GET.get("q", "").strip(), request.GET.get("sort", "")
    if words:
        rows = [(n, row) for n, row in rows if any(words.lower() in str(v).lower() for v in row.values())]
    column = order.removeprefix("-")
    if column in [each.name for each in found.columns]:
        rows.sort(key=lambda item: _sortable(item[1].get(column)), reverse=order.startswith("-"))
    shown = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    links = {key.columns[0]: key for key in found.foreign_keys if len(key.columns) == 1}
    context = {
        "table": found,
        "tables": [(each.name, len(seeds.rows.get(each.name, ()))) for each in schema.tables],
        "columns": found.columns,
        "rows": [
            {
                "address": _row_address(record, found, row, number),
                "cells": [
                    (each, row.get(each.name), _link(record, links.get(each.name), row.get(each.name)))
                    for each in found.columns
                ],
            }
            for number, row in shown
        ],
        "shown": shown,
        "words": words,
        "order": order,
    }
    return page(request, record, "environment_data", "data/table.html", context)


@requires(Act.VIEW)
def environment_row(request: HttpRequest, name: str, table: str) -> HttpResponse:
    """One row, whole, with what it refers to and what refers to it."""
    record = find(name)
    schema, seeds = _parts(record)
    found = _table(record, schema, table)
    row = _row(request, found, seeds)
    links = {key.columns[0]: key for key in found.foreign_keys if len(key.columns) == 1}
    cells = []
    for column in found.columns:
        key = links.get(column.name)
        value = row.get(column.name)
        label = _label(seeds, key.table, key.references[0], value) if key and key.references else ""
        cells.append((column, value, _link(record, key, value), label))
    context = {
        "table": found,
        "row": row,
        "title": _title(row),
        "cells": cells,
        "incoming": _incoming(record, schema, seeds, found, row),
    }
    return page(request, record, "environment_data", "data/row.html", context)


def _parts(record: EnvironmentRecord) -> tuple[Schema, SeedData]:
    assert record.current is not None
    schema, seeds = load_part(record.current, "schema"), load_part(record.current, "seed_data")
    assert isinstance(schema, Schema)
    assert isinstance(seeds, SeedData)
    return schema, seeds


def _table(record: EnvironmentRecord, schema: Schema, name: str) -> Table:
    found = schema.table(name)
    if found is None:
        raise Missing(f"{record.title} has no table named {name!r}.", remedy="Choose one from its data.")
    return found


def _row(request: HttpRequest, table: Table, seeds: SeedData) -> dict[str, Any]:
    """The row whose columns have the values of the address, or whose place it names."""
    wanted = {
        name: value for name, value in request.GET.items() if any(c.name == name for c in table.columns)
    }
    place = request.GET.get("_place", "")
    for number, row in enumerate(seeds.rows.get(table.name, ()), start=1):
        if wanted and all(str(row.get(name)) == value for name, value in wanted.items()):
            return dict(row)
        if not wanted and place == str(number):
            return dict(row)
    said = ", ".join(f"{name} = {value}" for name, value in wanted.items()) or f"place {place or '?'}"
    raise Missing(f"{table.name} has no row with {said}.", remedy="Go back to the table.")


def _sortable(value: Any) -> tuple[int, Any]:
    """SQLite's order: NULL, then numbers, then texts."""
    if value is None:
        return 0, 0
    return (1, value) if isinstance(value, int | float) else (2, str(value))


def _row_address(record: EnvironmentRecord, table: Table, row: dict[str, Any], number: int) -> str:
    """A row's page: by its key where it has one in the data, else by its place."""
    values = {name: row.get(name) for name in table.primary_key}
    query = values if values and None not in values.values() else {"_place": number}
    return f"{reverse('environment_row', args=[record.name, table.name])}?{urlencode(query)}"


def _link(record: EnvironmentRecord, key: Any, value: Any) -> str:
    if key is None or value is None or not key.references:
        return ""
    query = urlencode({key.references[0]: value})
    return f"{reverse('environment_row', args=[record.name, key.table])}?{query}"


def _title(row: dict[str, Any]) -> str:
    """What people would call a row."""
    if row.get("first_name") and row.get("last_name"):
        return f"{row['first_name']} {row['last_name']}"
    return next((str(row[name]) for name in LABELS if row.get(name)), "")


def _label(seeds: SeedData, table: str, column: str, value: Any) -> str:
    if value is None:
        return ""
    row = next((each for each in seeds.rows.get(table, ()) if each.get(column) == value), None)
    return _title(dict(row)) if row else ""


def _incoming(
    record: EnvironmentRecord, schema: Schema, seeds: SeedData, table: Table, row: dict[str, Any]
) -> list[dict[str, Any]]:
    """Rows of other tables that refer to this one."""
    found = []
    for other in schema.tables:
        for key in other.foreign_keys:
            if key.table != table.name or len(key.columns) != 1 or not key.references:
                continue
            value = row.get(key.references[0])
            rows = [
                (_row_address(record, other, dict(each), number), _title(dict(each)) or f"row {number}")
                for number, each in enumerate(seeds.rows.get(other.name, ()), start=1)
                if value is not None and each.get(key.columns[0]) == value
            ]
            if rows:
                found.append(
                    {"table": other.name, "column": key.columns[0], "rows": rows[:20], "count": len(rows)}
                )
    return found
