"""The data browser: any table at any revision and after any step, its rows one by one, and a SQL console."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse

from studio.models import Act, EnvironmentRecord, Revision, TrajectoryRecord
from studio.presentation.comment_threads import CommentPlace, threads
from studio.presentation.downloads import csv_response, streamed_csv
from studio.presentation.plain_language import PlainLanguage
from studio.presentation.plain_tables import PlainTable
from studio.presentation.table_queries import (
    COUNTED,
    PER_PAGE,
    Narrowing,
    Query,
    count_query,
    counts_query,
    example_query,
    facet_query,
    incoming_query,
    key_of,
    page_query,
    row_query,
)
from studio.presentation.whole_tables import Reader, whole_table
from studio.services.browse import state_queries
from studio.services.environments.environments import load_part
from studio.services.environments.titles import Titles
from studio.services.errors import Missing
from studio.views.access import requires
from studio.views.browse.table_controls import changed, facets, header, narrowing_of, next_page
from studio.views.environments.environment_shell import find, page
from synthesis.documents.schema import Schema, Table
from synthesis.errors import BrokenEnvironment
from synthesis.worlds.snapshot import Snapshot

MOST_ROWS = 200
LONGEST_ANCHOR = 300


@dataclass(frozen=True)
class State:
    """Which database is looked at."""

    revision: Revision
    snapshot: Snapshot | None
    trajectory: TrajectoryRecord | None
    step: int
    query: dict[str, str]
    """The parameters that say so in an address."""

    @property
    def before(self) -> str:
        """The state one step earlier, as an address says it."""
        return self._at(self.step - 1)

    @property
    def later(self) -> str:
        """The state one step later."""
        return self._at(self.step + 1)

    def _at(self, step: int) -> str:
        return f"{self.trajectory.pk}/{step}" if self.trajectory else ""

    def find(self, query: Query, limit: int = MOST_ROWS) -> list[dict[str, Any]]:
        """What a query finds there."""
        return state_queries.rows(
            revision=self.revision, snapshot=self.snapshot, sql=query.sql, params=query.params, limit=limit
        )

    def exporter(self) -> Reader:
        """Reads batches of a file, all of this one state."""
        reader = state_queries.reader(revision=self.revision, snapshot=self.snapshot)
        seconds = state_queries.EXPORT_SECONDS
        return lambda query, limit: reader.rows(query.sql, query.params, limit=limit, seconds=seconds)

    def schema(self) -> Schema:
        """The tables of that revision."""
        schema = load_part(self.revision, "schema")
        assert isinstance(schema, Schema)
        return schema


@requires(Act.VIEW)
def environment_data(request: HttpRequest, name: str) -> HttpResponse:
    """Every table with its size."""
    record = find(name)
    state = _state(request, record)
    schema = state.schema()
    words = PlainLanguage(record, revision=state.revision)
    context = {
        "tables": [
            (PlainTable(words, table), count)
            for table, count in zip(schema.tables, _counts(state, schema), strict=True)
        ],
        "actor": state_queries.world_of(state.revision).environment.seed_data.actor,
        **_place(record, state),
    }
    return page(request, record, "environment_data", "data/tables.html", context)


@requires(Act.VIEW)
def environment_table(request: HttpRequest, name: str, table: str) -> HttpResponseBase:
    """One table: narrowed, sorted and paged by the address."""
    record = find(name)
    state = _state(request, record)
    schema = state.schema()
    result = _table(record, schema, table)
    narrowing = narrowing_of(request, result)
    if request.GET.get("format") == "csv":
        names = [column.name for column in result.columns]
        return streamed_csv(result.name, names, whole_table(result, narrowing, state.exporter()))
    rows, stopped = _page_of(state, page_query(schema, result, narrowing))
    words = PlainLanguage(record, revision=state.revision)
    plain = PlainTable(words, result)
    shown = [_shown(record, state, plain, row) for row in rows[:PER_PAGE]]
    context = {
        **_place(record, state),
        "table": result,
        "stopped": stopped,
        "tables": [
            (each.name, words.table(each.name), count)
            for each, count in zip(schema.tables, _counts(state, schema), strict=True)
        ],
        "rows": shown,
        "count": _count(state, result, narrowing),
        "more": next_page(request, rows),
        "first": changed(request, after=None) if narrowing.after else "",
        **threads(
            record,
            kind="table",
            anchor=table[:LONGEST_ANCHOR],
            words="table",
            unit="schema",
            reader=request.user.pk,
            places=[
                CommentPlace(
                    "column", f"{table}/{each.name}"[:LONGEST_ANCHOR], plain.words.column(table, each.name)
                )
                for each in result.columns
            ],
        ),
        "plain_table": plain,
        "named_by_one": len(words.naming(table)) == 1,
        "headers": [header(request, plain, column, narrowing.sort) for column in result.columns],
        "facets": _facets(request, state, plain, result),
        "words": narrowing.words,
        "other_parameters": [(key, value) for key, value in request.GET.items() if key not in ("q", "after")],
    }
    return page(request, record, "environment_data", "data/table.html", context)


@requires(Act.VIEW)
def environment_row(request: HttpRequest, name: str, table: str) -> HttpResponse:
    """One row, whole, with what it refers to and what refers to it."""
    record = find(name)
    state = _state(request, record)
    schema = state.schema()
    result = _table(record, schema, table)
    names = {column.name for column in result.columns} | {"_rowid"}
    values = {key: str(value) for key, value in request.GET.items() if key in names}
    rows = state.find(row_query(schema, result, values), 1) if values else []
    if not rows:
        text = ", ".join(f"{key} = {value}" for key, value in values.items()) or "no key"
        title = Titles(record).table(result.name)
        raise Missing(f"{title} has no row with {text}.", remedy="Go back to the table.")
    plain = PlainTable(PlainLanguage(record, revision=state.revision), result)
    cells = _cells(record, state, plain, rows[0])
    row_values = {cell["column"].name: cell["value"] for cell in cells}
    anchor = f"{result.name}/{'/'.join(str(row_values.get(name)) for name in result.primary_key)}"
    context = {
        **_place(record, state),
        "table": result,
        "plain_table": plain,
        "title": _title(row_values),
        "name": plain.row(row_values),
        "cells": cells,
        "incoming": _incoming(record, state, schema, plain, row_values),
        **threads(
            record,
            kind="row",
            anchor=anchor[:LONGEST_ANCHOR],
            words="row",
            unit="seed_data",
            snapshot=json.dumps(row_values, default=str, ensure_ascii=False),
            reader=request.user.pk,
            places=[
                CommentPlace(
                    "cell",
                    f"{anchor}/{cell['column'].name}"[:LONGEST_ANCHOR],
                    cell["title"],
                    str(cell["value"]),
                )
                for cell in cells
            ],
        ),
    }
    return page(request, record, "environment_data", "data/row.html", context)


@requires(Act.VIEW)
def environment_sql(request: HttpRequest, name: str) -> HttpResponseBase:
    """A SELECT of one's own; the query is in the address."""
    record = find(name)
    state = _state(request, record)
    query = request.GET.get("query", "").strip()
    context: dict[str, Any] = {**_place(record, state), "query": query, "limit": MOST_ROWS}
    if query:
        try:
            rows = state.find(Query(query), MOST_ROWS)
        except BrokenEnvironment as error:
            context["error"] = str(error)
        else:
            columns = list(rows[0]) if rows else []
            if request.GET.get("format") == "csv":
                return csv_response("query", columns, [list(row.values()) for row in rows])
            context |= {"columns": columns, "rows": [list(row.values()) for row in rows], "ran": True}
    schema = state.schema()
    context["example"] = example_query(schema.tables[0])
    context["names"] = [(table.name, [column.name for column in table.columns]) for table in schema.tables]
    return page(request, record, "environment_data", "data/sql.html", context)


def _state(request: HttpRequest, record: EnvironmentRecord) -> State:
    """The database that the address asks for: `at=<trajectory>/<step>`, `revision=<number>` or neither."""
    assert record.current is not None
    at = request.GET.get("at", "")
    number = request.GET.get("revision", "")
    if at:
        trajectory_id, _, step = at.partition("/")
        plain = trajectory_id.isdecimal() and step.isdecimal() and len(at) < 20
        trajectory = (
            record.trajectories.select_related("revision").filter(pk=int(trajectory_id)).first()
            if plain
            else None
        )
        if trajectory is None:
            raise Missing(f"There is no state {at!r} of {record.title}.", remedy="Open one from a replay.")
        snapshot = state_queries.snapshot_after(trajectory, int(step))
        return State(trajectory.revision, snapshot, trajectory, int(step), {"at": at})
    if number and number != str(record.current.number):
        plain = number.isdecimal() and len(number) < 10
        revision = record.revisions.filter(number=int(number)).first() if plain else None
        if revision is None:
            raise Missing(f"{record.title} has no revision {number}.", remedy="Choose one from its history.")
        return State(revision, None, None, 0, {"revision": number})
    return State(record.current, None, None, 0, {})


def _place(record: EnvironmentRecord, state: State) -> dict[str, Any]:
    """Which database is shown, and the others that could be: what every page of the browser says."""
    return {
        "state_of": state,
        "suffix": _suffix(state),
        "revisions": list(record.revisions.order_by("-number").values_list("number", "reason")),
    }


def _page_of(state: State, query: Query) -> tuple[list[dict[str, Any]], str]:
    """The rows of a page; none, and the words of the time limit, when they take too long to find."""
    try:
        return state.find(query, PER_PAGE + 1), ""
    except state_queries.LookTimedOut as error:
        return [], str(error)


def _count(state: State, table: Table, narrowing: Narrowing) -> str:
    """How many rows there are, counted no further than to ten thousand and no longer than a page may take."""
    try:
        count = state.find(count_query(table, narrowing))[0]["n"]
    except state_queries.LookTimedOut:
        return "uncounted"
    return f">{COUNTED:,}" if count > COUNTED else f"{count:,}"


def _suffix(state: State) -> str:
    return "?" + urlencode(state.query) if state.query else ""


def _counts(state: State, schema: Schema) -> list[str]:
    """Rows per table, counted no further than to ten thousand."""
    results = {row["i"]: row["n"] for row in state.find(counts_query(schema), len(schema.tables))}
    return [f">{COUNTED:,}" if results[i] > COUNTED else f"{results[i]:,}" for i in range(len(schema.tables))]


def _table(record: EnvironmentRecord, schema: Schema, name: str) -> Table:
    table = schema.table(name)
    if table is None:
        raise Missing(f"{record.title} has no table named {name!r}.", remedy="Choose one from its data.")
    return table


def _facets(request: HttpRequest, state: State, plain: PlainTable, table: Table) -> list[dict[str, Any]]:
    query = facet_query(table)
    return facets(request, plain, table, state.find(query, 200)) if query is not None else []


def _shown(record: EnvironmentRecord, state: State, plain: PlainTable, row: dict[str, Any]) -> dict[str, Any]:
    table = plain.table
    cells = _cells(record, state, plain, row)
    values = {cell["column"].name: cell["value"] for cell in cells}
    keys = {name: values[name] for name in table.primary_key}
    query = keys if keys and None not in keys.values() else {"_rowid": row.get("k0")}
    return {
        "address": _row_address(record, state, table.name, query),
        "name": plain.row(values),
        "cells": cells,
    }


def _cells(
    record: EnvironmentRecord, state: State, plain: PlainTable, row: dict[str, Any]
) -> list[dict[str, Any]]:
    cells = []
    table = plain.table
    for index, column in enumerate(table.columns):
        value, length = row[f"v{index}"], row[f"n{index}"]
        key = key_of(table, column.name)
        link = ""
        if key is not None and value is not None:
            link = _row_address(record, state, key.table, {key.references[0]: value})
        cells.append(
            {
                "column": column,
                "value": value,
                "blob": -length if length is not None and length < 0 else None,
                "length": length
                if length is not None and isinstance(value, str) and length > len(value)
                else None,
                "link": link,
                "label": row.get(f"l{index}"),
                "title": plain.column(column.name),
                "said": plain.cell(column.name, value, row.get(f"l{index}")),
                "on_one_line": plain.on_one_line(column.name),
                "number": plain.is_number(column.name),
                "only_key": plain.only_key(column.name),
                "in_name": plain.in_name(column.name),
            }
        )
    return cells


def _row_address(record: EnvironmentRecord, state: State, table: str, values: dict[str, Any]) -> str:
    return f"{reverse('environment_row', args=[record.name, table])}?{urlencode({**values, **state.query})}"


def _title(row: dict[str, Any]) -> str:
    """What people would call a row."""
    if row.get("first_name") and row.get("last_name"):
        return f"{row['first_name']} {row['last_name']}"
    return next(
        (str(row[name])[:120] for name in ("name", "title", "label", "code", "number") if row.get(name)), ""
    )


def _incoming(
    record: EnvironmentRecord, state: State, schema: Schema, plain: PlainTable, row: dict[str, Any]
) -> list[dict[str, Any]]:
    """Rows of other tables that refer to this one."""
    results = []
    for other in schema.tables:
        for key in other.foreign_keys:
            if key.table != plain.table.name or len(key.columns) != 1 or not key.references:
                continue
            rows = state.find(incoming_query(other, key, row.get(key.references[0])), 21)
            if rows:
                words = PlainTable(plain.words, other)
                results.append(_referrers(record, state, words, key.columns[0], rows))
    return results


def _referrers(
    record: EnvironmentRecord, state: State, plain: PlainTable, column: str, rows: list[dict[str, Any]]
) -> dict[str, Any]:
    other = plain.table
    names = other.primary_key or ("_rowid",)
    links = []
    for row in rows[:20]:
        keys = {name: row[f"k{index}"] for index, name in enumerate(names)}
        title = row["label"] or ", ".join(f"{name} {value}" for name, value in keys.items())
        links.append((_row_address(record, state, other.name, keys), title, plain.named(keys) or title))
    return {
        "table": other.name,
        "title": plain.title,
        "column_title": plain.column(column),
        "column": column,
        "rows": links,
        "count": "20+" if len(rows) > 20 else len(rows),
    }
