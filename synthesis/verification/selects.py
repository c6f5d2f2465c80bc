"""Selects: whether a SELECT may find several rows of which nothing says which is the first."""

from __future__ import annotations

import re
from itertools import islice

from synthesis.documents.schema import Schema, Table

_MOST_SELECTS = 20
"""Of one statement."""
_FIRST_ONLY = re.compile(r"\bLIMIT\s+1\b(?!\s*,)", re.IGNORECASE)
_ORDERED = re.compile(r"\b(?:ORDER|GROUP)\s+BY\b", re.IGNORECASE)
_SELECT = re.compile(r"\bSELECT\b(?:\s+DISTINCT\b)?", re.IGNORECASE)
_FROM = re.compile(r"\bFROM\b", re.IGNORECASE)
_WHERE = re.compile(r"\bWHERE\b(.*)", re.IGNORECASE | re.DOTALL)
_AGGREGATE = re.compile(r"\b(?:count|max|min|sum|avg|total|group_concat)\s*\(", re.IGNORECASE)
_CONSTANT = re.compile(r"\s*(?:\d+|'[^']*')(?:\s+AS\s+\w+)?\s*", re.IGNORECASE)
_SOURCE = re.compile(r"\b(?:FROM|JOIN)\s+[\"`\[]?(\w+)[\"`\]]?(?:\s+(?:AS\s+)?(\w+))?", re.IGNORECASE)
_EQUAL = re.compile(r"(?:(\w+)\.)?[\"`]?(\w+)[\"`]?\s*(?:==?(?!=)|\bIS\b(?!\s+(?:NOT|NULL)))", re.IGNORECASE)
_UNIQUE = re.compile(r"\bUNIQUE\s*\(([^()]*)\)", re.IGNORECASE)
_UNIQUE_COLUMN = r"[\"`\[]?\b{}\b[\"`\]]?\s+[^,]*\bUNIQUE\b"
_UNIQUE_INDEX = r"\bUNIQUE\s+INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?\S+\s+ON\s+[\"`\[]?{}[\"`\]]?\s*\(([^()]*)\)"


def whole(sql: str) -> list[str]:
    """A statement as one SELECT; [] for any other statement."""
    return [sql] if _SELECT.match(sql.lstrip()) else []


def limited_to_one(sql: str) -> list[str]:
    """Every SELECT of a statement that is cut after one row, those in brackets too."""
    return [_around(sql, match.start()) for match in islice(_FIRST_ONLY.finditer(sql), _MOST_SELECTS)]


def table_of_several(select: str, schema: Schema) -> str:
    """The table of which a SELECT may find several rows, unsorted; "" where that is not certain."""
    flat = _without_brackets(select)
    begin, source = _SELECT.search(flat), _FROM.search(flat)
    if begin is None or source is None or _ORDERED.search(flat):
        return ""
    listed = select[begin.end() : source.start()]
    if _AGGREGATE.search(listed) or all(_CONSTANT.fullmatch(part) for part in listed.split(",")):
        return ""
    tables = {table.name.lower(): table for table in schema.tables}
    sources = [(name.lower(), alias.lower() or name.lower()) for name, alias in _SOURCE.findall(flat)]
    if not sources or any(name not in tables for name, _ in sources):
        return ""
    where = _WHERE.search(flat)
    equal = [] if where is None else [(a.lower(), name.lower()) for a, name in _EQUAL.findall(where[1])]
    for name, alias in sources:
        named = {column for of, column in equal if of in ("", alias, name)}
        if any(key <= named for key in _keys(tables[name], schema)):
            return ""
    return tables[sources[0][0]].name


def _keys(table: Table, schema: Schema) -> list[set[str]]:
    """Sets of columns, in lower case, of which no two rows of a table have the same values."""
    listed = _UNIQUE.findall(table.sql) + re.findall(
        _UNIQUE_INDEX.format(re.escape(table.name)), schema.sql, re.IGNORECASE
    )
    keys = [set(re.findall(r"\w+", columns.lower())) for columns in listed]
    keys += [
        {column.name.lower()}
        for column in table.columns
        if re.search(_UNIQUE_COLUMN.format(re.escape(column.name)), table.sql, re.IGNORECASE)
    ]
    if table.primary_key:
        keys.append({name.lower() for name in table.primary_key})
    return [*keys, {"rowid"}]


def _around(sql: str, at: int) -> str:
    """The part of a statement between the brackets around a place."""
    begin, depth = at, 0
    while begin and (depth or sql[begin - 1] != "("):
        begin -= 1
        depth += {")": 1, "(": -1}.get(sql[begin], 0)
    return sql[begin:at]


def _without_brackets(sql: str) -> str:
    """The statement with spaces for what stands in brackets and in quoted texts."""
    results, depth, quoted = [], 0, False
    for sign in sql:
        quoted ^= sign == "'"
        depth -= sign == ")" and not quoted
        results.append(" " if depth or quoted else sign)
        depth += sign == "(" and not quoted
    return "".join(results)
