"""The SQL of the data browser: identifiers are quoted, values are parameters, SQLite cuts long cells."""

# ruff: noqa: S608 - names pass through `quoted`, values are parameters, and it all runs in a sealed process

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from synthesis.documents.schema import Column, ForeignKey, Schema, Table

LONGEST_CELL = 300
LONGEST_EXPORTED_CELL = 32_767
"""Characters of a cell in a file: as many as spreadsheets take."""
PER_PAGE = 50
COUNTED = 10_000
MOST_FACETS = 4
MOST_VALUES = 8
LONGEST_VALUE = 60
"""Characters up to which a value can be a choice."""

LABELS = ("name", "title", "label", "code", "number", "subject", "email", "last_name")
"""Columns that name a row to people, best first."""


def quoted(name: str) -> str:
    """An identifier as SQL text; every character is allowed in it."""
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True)
class Query:
    """A SELECT with its parameters."""

    sql: str
    params: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Narrowing:
    """What a page of a table is narrowed and sorted by.

    Attributes:
        words: Text that must stand in some column.
        equal: Column to the text its value must have; "" in `nulls` stands for NULL.
        nulls: Columns that must be NULL.
        sort: Column to sort by, with "-" in front for descending; "" for the table's own order.
        after: Order values of the last row of the page before, or None.
    """

    words: str = ""
    equal: tuple[tuple[str, str], ...] = ()
    nulls: tuple[str, ...] = ()
    sort: str = ""
    after: tuple[Any, ...] | None = None


def page_query(schema: Schema, table: Table, narrowing: Narrowing) -> Query:
    """One page and one row more: v<i> the value, n<i> its length, l<i> a key's label, k<i> the order."""
    columns = [
        text for index, column in enumerate(table.columns) for text in _cell(schema, table, index, column)
    ]
    return _select(table, narrowing, columns, PER_PAGE + 1)


def export_query(table: Table, narrowing: Narrowing, limit: int) -> Query:
    """Rows for a file: v<i> the value up to one character more than `LONGEST_EXPORTED_CELL`, k<i> the
    order."""
    columns = [
        f"CASE typeof({name}) WHEN 'text' THEN substr({name}, 1, {LONGEST_EXPORTED_CELL + 1}) "
        f"WHEN 'blob' THEN substr({name}, 1, {LONGEST_EXPORTED_CELL // 2}) ELSE {name} END AS v{index}"
        for index, name in enumerate(f"t.{quoted(column.name)}" for column in table.columns)
    ]
    return _select(table, narrowing, columns, limit)


def place_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """A row's place in the order, for the next query's `after`."""
    return tuple(row[key] for key in sorted((k for k in row if k[0] == "k"), key=lambda k: int(k[1:])))


def _select(table: Table, narrowing: Narrowing, columns: list[str], limit: int) -> Query:
    where, params = _where(table, narrowing)
    order = _order(table, narrowing.sort)
    descending = narrowing.sort.startswith("-")
    if narrowing.after is not None and len(narrowing.after) == len(order):
        sign = "<" if descending else ">"
        places = ", ".join("?" for _ in order)
        where.append(f"({', '.join(order)}) {sign} ({places})")
        params += narrowing.after
    columns = columns + [f"{expression} AS k{index}" for index, expression in enumerate(order)]
    direction = " DESC" if descending else ""
    sql = (
        f"SELECT {', '.join(columns)} FROM {quoted(table.name)} AS t{_clause(where)} "
        f"ORDER BY {', '.join(expression + direction for expression in order)} LIMIT {limit}"
    )
    return Query(sql, tuple(params))


def count_query(table: Table, narrowing: Narrowing) -> Query:
    """How many rows there are, counted no further than to `COUNTED` + 1."""
    where, params = _where(table, narrowing)
    inner = f"SELECT 1 FROM {quoted(table.name)} AS t{_clause(where)} LIMIT {COUNTED + 1}"
    return Query(f"SELECT count(*) AS n FROM ({inner})", tuple(params))


def counts_query(schema: Schema) -> Query:
    """Rows of every table by its place in the schema, counted no further than to `COUNTED` + 1."""
    parts = [
        f"SELECT {index} AS i, count(*) AS n FROM (SELECT 1 FROM {quoted(table.name)} LIMIT {COUNTED + 1})"
        for index, table in enumerate(schema.tables)
    ]
    return Query(" UNION ALL ".join(parts))


def example_query(table: Table) -> str:
    """A SELECT to begin with."""
    return f"SELECT * FROM {quoted(table.name)} LIMIT 20"


def facet_query(table: Table) -> Query | None:
    """Values with counts of the columns that look like a choice, from the first rows; None without any."""
    keys = {name for key in table.foreign_keys for name in key.columns} | set(table.primary_key)
    columns = [column for column in table.columns if column.name not in keys and _is_choice(column)][:12]
    parts = []
    for index, column in enumerate(table.columns):
        if column in columns:
            name = quoted(column.name)
            value = f"substr(CAST({name} AS TEXT), 1, {LONGEST_VALUE + 1})"
            first = f"SELECT {name} FROM {quoted(table.name)} LIMIT {COUNTED}"
            counted = f"SELECT {index} AS c, {value} AS v, count(*) AS n FROM ({first}) GROUP BY 2"
            parts.append(f"SELECT * FROM ({counted} ORDER BY 3 DESC LIMIT {MOST_VALUES + 1})")
    return Query(" UNION ALL ".join(parts)) if parts else None


def row_query(schema: Schema, table: Table, values: dict[str, str]) -> Query:
    """The whole row with these values; every cell at full length."""
    where = [f"t.{quoted(name)} = ?" for name in values if not name.startswith("_")]
    if "_rowid" in values:
        where.append(f"t.{_rowid(table)} = ?")
    columns = [
        text for index, column in enumerate(table.columns) for text in _whole(schema, table, index, column)
    ]
    sql = f"SELECT {', '.join(columns)} FROM {quoted(table.name)} AS t{_clause(where)} LIMIT 1"
    return Query(sql, tuple(values.values()))


def incoming_query(other: Table, key: ForeignKey, value: Any) -> Query:
    """Rows of another table that refer to a value, with their keys and labels."""
    names = other.primary_key or ()
    keys = [f"t.{quoted(name)} AS k{index}" for index, name in enumerate(names)] or [
        f"t.{_rowid(other)} AS k0"
    ]
    label = label_expression(other, "t") or "NULL"
    return Query(
        f"SELECT {', '.join(keys)}, {label} AS label FROM {quoted(other.name)} AS t "
        f"WHERE t.{quoted(key.columns[0])} = ? LIMIT 21",
        (value,),
    )


def label_expression(table: Table, alias: str) -> str:
    """What people would call a row, as an SQL expression; "" where no column names one."""
    names = {column.name for column in table.columns}
    if {"first_name", "last_name"} <= names:
        return f"{alias}.first_name || ' ' || {alias}.last_name"
    text = next((name for name in LABELS if name in names), "")
    return f"{alias}.{quoted(text)}" if text else ""


def has_rowid(table: Table) -> bool:
    """Whether rows can be named by SQLite's own number."""
    return "WITHOUT ROWID" not in table.sql.upper()


def read_after(text: str) -> tuple[Any, ...] | None:
    """The place in the order that an address holds, or None where it holds none that can be read."""
    try:
        values = json.loads(text)
    except ValueError:
        return None
    plain = isinstance(values, list) and all(isinstance(value, str | int | float | None) for value in values)
    return tuple(values) if plain else None


def _where(table: Table, narrowing: Narrowing) -> tuple[list[str], list[Any]]:
    where: list[str] = []
    params: list[Any] = []
    if narrowing.words:
        each = [f"instr(lower(CAST(t.{quoted(c.name)} AS TEXT)), lower(?)) > 0" for c in table.columns]
        where.append("(" + " OR ".join(each) + ")")
        params += [narrowing.words] * len(each)
    for name, value in narrowing.equal:
        where.append(f"CAST(t.{quoted(name)} AS TEXT) = ?")
        params.append(value)
    where += [f"t.{quoted(name)} IS NULL" for name in narrowing.nulls]
    return where, params


def _clause(where: list[str]) -> str:
    return " WHERE " + " AND ".join(where) if where else ""


def _order(table: Table, sort: str) -> list[str]:
    """Expressions whose values name a row's place: the sorted column, then the key. NULL comes before all."""
    keys = [f"t.{_rowid(table)}"] if has_rowid(table) else [_key(table, name) for name in table.primary_key]
    name = sort.removeprefix("-")
    if not sort or name not in {column.name for column in table.columns}:
        return keys
    column = f"t.{quoted(name)}"
    return [f"({column} IS NOT NULL)", f"coalesce({_comparable(column)}, '')", *keys]


def _key(table: Table, name: str) -> str:
    column = next(column for column in table.columns if column.name == name)
    expression = f"t.{quoted(name)}"
    return _comparable(expression) if column.type.upper() in ("", "BLOB") else expression


def _comparable(column: str) -> str:
    """A cell as an address can hold and compare it: blobs as text, no more of either than is shown."""
    return (
        f"CASE typeof({column}) WHEN 'text' THEN substr({column}, 1, {LONGEST_CELL}) "
        f"WHEN 'blob' THEN hex(substr({column}, 1, {LONGEST_CELL})) ELSE {column} END"
    )


def _rowid(table: Table) -> str:
    names = {column.name.lower() for column in table.columns}
    return next(name for name in ("rowid", "_rowid_", "oid") if name not in names)


def _cell(schema: Schema, table: Table, index: int, column: Column) -> list[str]:
    name = f"t.{quoted(column.name)}"
    cut = f"WHEN 'text' THEN substr({name}, 1, {LONGEST_CELL}) WHEN 'blob' THEN NULL ELSE {name}"
    length = f"WHEN 'text' THEN length({name}) WHEN 'blob' THEN -length({name})"
    value = f"CASE typeof({name}) {cut} END AS v{index}"
    return [value, f"CASE typeof({name}) {length} END AS n{index}", *_label(schema, table, index, column)]


def _whole(schema: Schema, table: Table, index: int, column: Column) -> list[str]:
    name = f"t.{quoted(column.name)}"
    return [
        f"CASE typeof({name}) WHEN 'blob' THEN hex(substr({name}, 1, 4096)) ELSE {name} END AS v{index}",
        f"CASE typeof({name}) WHEN 'blob' THEN -length({name}) END AS n{index}",
        *_label(schema, table, index, column),
    ]


def _label(schema: Schema, table: Table, index: int, column: Column) -> list[str]:
    key = key_of(table, column.name)
    other = schema.table(key.table) if key else None
    label = label_expression(other, "o") if other else ""
    if key is None or other is None or not label:
        return []
    there = f"o.{quoted(key.references[0])} = t.{quoted(column.name)}"
    return [f"(SELECT {label} FROM {quoted(other.name)} AS o WHERE {there} LIMIT 1) AS l{index}"]


def key_of(table: Table, column: str) -> ForeignKey | None:
    """The foreign key that a column alone makes, or None."""
    return next((key for key in table.foreign_keys if key.columns == (column,) and key.references), None)


def _is_choice(column: Column) -> bool:
    return not column.name.endswith(("_at", "_on", "_date", "_cents", "name", "email", "phone"))
