# ruff: noqa: E501 - it writes source and SQL, from names of its own
"""Helper source: the helpers of a generated module, each written only where it is called."""

from __future__ import annotations

import re

from synthesis.procedural.business.model import Business

_UNKNOWN = (
    'f"{what.capitalize()} {row_id} does not exist."',
    'f"There is no {what} with the key {row_id}."',
    'f"Unknown {what}: {row_id}. Look it up first."',
)
_WRONG_STATE = (
    'f"{what} is {state}; it would have to be {allowed}."',
    'f"This needs {what} to be {allowed}, but it is {state}."',
    'f"Not possible while {what} is {state} (allowed: {allowed})."',
)

_NEXT = ', "next_cursor": f"c{offset + limit}" if offset + limit < total else None'

_HELPERS = {
    "_today": (
        """def _today(db) -> str:
    return db.now().date().isoformat()"""
    ),
    "_plus_days": (
        """def _plus_days(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()"""
    ),
    "_text": (
        """def _text(value: str, what: str, longest: int = 80) -> str:
    text = value.strip()
    if not text or len(text) > longest or not text.isprintable():
        raise ToolError(f"{what} must be 1 to {longest} printable characters.")
    return text"""
    ),
    "_wanted": (
        """def _wanted(value: str | None, what: str) -> str | None:
    return None if value is None else _text(value, what)"""
    ),
    "_pattern": (
        """def _pattern(value: str | None, what: str) -> str | None:
    # LIKE folds the case of ASCII letters only: any letter stands for another one
    if value is None:
        return None
    letters = (f"!{c}" if c in "!%_" else c if c.isascii() else "_" for c in _text(value, what))
    return "".join(letters)"""
    ),
    "_day": (
        """def _day(value: str, what: str) -> str:
    try:
        if len(value) != 10:
            raise ValueError(value)
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ToolError(f"{what} must be a calendar day written YYYY-MM-DD.") from None"""
    ),
    "_row": (
        """def _row(db, table: str, row_id: int, what: str) -> dict:
    row = db.one(f"SELECT * FROM {table} WHERE id = ?", row_id) if 0 < row_id <= LARGEST_ID else None
    if row is None:
        raise ToolError(@unknown@)
    return row"""
    ),
    "_known": (
        """def _known(db, table: str, row_id: int | None, what: str) -> int | None:
    return None if row_id is None else _row(db, table, row_id, what)["id"]"""
    ),
    "_state": (
        """def _state(row: dict, what: str, *states: str) -> None:
    if row["status"] not in states:
        state, allowed = row["status"].replace("_", " "), " or ".join(states).replace("_", " ")
        raise ToolError(@state@)"""
    ),
    "_free": (
        '''def _free(db, table: str, column: str, unit: dict, start: str, end: str, states: tuple, but: int = 0) -> None:
    """Refuse a period in which a unit is taken, and any while it is overdue."""
    marks = ", ".join("?" for _ in states)
    sql = (
        f"SELECT number, starts_on, ends_on FROM {table} WHERE {column} = ? AND id <> ? AND status IN ({marks}) "
        "AND starts_on <= ? AND (ends_on >= ? OR ends_on < ?) ORDER BY starts_on"
    )
    taken = db.one(sql, unit["id"], but, *states, end, start, _today(db))
    if taken is not None and taken["ends_on"] < _today(db):
        raise ToolError(f"{unit['name']} is overdue with {taken['number']}, which was to end on {taken['ends_on']}.")
    if taken is not None:
        raise ToolError(f"{unit['name']} is taken by {taken['number']} from {taken['starts_on']} to {taken['ends_on']}.")'''
    ),
    "_free_hours": (
        '''def _free_hours(
    db, table: str, column: str, unit: dict, day: str, hour: int, hours: int, states: tuple, but: int = 0
) -> None:
    """Refuse hours of a day in which a unit is taken."""
    marks = ", ".join("?" for _ in states)
    sql = (
        f"SELECT number, from_hour, hours FROM {table} WHERE {column} = ? AND id <> ? AND starts_on = ? "
        f"AND status IN ({marks}) AND from_hour < ? AND from_hour + hours > ? ORDER BY from_hour"
    )
    taken = db.one(sql, unit["id"], but, day, *states, hour + hours, hour)
    if taken is not None:
        raise ToolError(f"{unit['name']} is taken by {taken['number']} from {taken['from_hour']} o'clock for {taken['hours']} hours.")'''
    ),
    "_reference": (
        '''def _reference(db, number: str) -> str:
    """The number of any record that has one."""
    wanted = _text(number, "reference").upper()
    for table in RECORDS:
        if db.one(f"SELECT id FROM {table} WHERE number = ?", wanted) is not None:
            return wanted
    raise ToolError(f"No record has the number {wanted}.")'''
    ),
    "_left": (
        '''def _left(db, table: str, column: str, event: dict, states: tuple) -> int:
    """Places of an event that nobody holds."""
    marks = ", ".join("?" for _ in states)
    sql = f"SELECT coalesce(sum(places), 0) AS n FROM {table} WHERE {column} = ? AND status IN ({marks})"
    return event["capacity"] - db.one(sql, event["id"], *states)["n"]'''
    ),
    "_money": (
        """def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}\""""
    ),
    "_shown": (
        """def _shown(db, view: str, row_id: int) -> dict:
    return @fold@db.one(view + " WHERE t.id = ?", row_id)@end@"""
    ),
    "_where": (
        '''def _where(*conditions: tuple) -> tuple[str, list]:
    """A WHERE clause of the conditions whose value was given."""
    given = [(condition, value) for condition, value in conditions if value is not None]
    if not given:
        return "", []
    return " WHERE " + " AND ".join(condition for condition, _ in given), [value for _, value in given]'''
    ),
    "_page": (
        """def _page(db, sql: str, params: list, order: str, limit: int, offset: int) -> dict:
    if not 1 <= limit <= MAX_LIMIT:
        raise ToolError(f"At most {MAX_LIMIT} and at least one can be returned at once.")
    if not 0 <= offset <= LARGEST_ID:
        raise ToolError("There is nothing before the first one.")
    total = db.one(f"SELECT count(*) AS n FROM ({sql})", *params)["n"]
    rows = db.query(f"SELECT * FROM ({sql}) ORDER BY {order} LIMIT ? OFFSET ?", *params, limit, offset)
    return {"total": total, "items": @rows@@next@}"""
    ),
    "_after": (
        '''def _after(cursor: str | None) -> int:
    """How many rows come before the page that a cursor begins."""
    digits = "0" if cursor is None else cursor.removeprefix("c")
    if cursor is not None and not (cursor.startswith("c") and digits.isascii() and digits.isdecimal() and len(digits) < 10):
        raise ToolError("cursor must be the next_cursor of an earlier page.")
    return int(digits)'''
    ),
    "_folded": (
        '''def _folded(row: dict) -> dict:
    """A row in which the key and the name of what it refers to are one object."""
    shown = {}
    for name, value in row.items():
        if name.endswith("_id") and name.removesuffix("_id") in row:
            shown[name.removesuffix("_id")] = {name: value, "name": row[name.removesuffix("_id")]}
        elif f"{name}_id" not in row:
            shown[name] = value
    return shown'''
    ),
}


def helpers_of(business: Business, source: str) -> list[str]:
    """The helpers that a source calls and those they call in turn, in a fixed order."""
    style = business.style
    values = {
        "@unknown@": _UNKNOWN[style.refusal],
        "@state@": _WRONG_STATE[style.refusal],
        "@fold@": "_folded(" if style.wrapped else "",
        "@end@": ")" if style.wrapped else "",
        "@next@": _NEXT if style.pages == "cursor" else "",
        "@rows@": "[_folded(row) for row in rows]" if style.wrapped else "rows",
    }
    texts = {name: _filled(text, values) for name, text in _HELPERS.items()}
    needed: set[str] = set()
    waiting = [source]
    while waiting:
        text = waiting.pop()
        for name, helper in texts.items():
            if name not in needed and re.search(rf"\b{name}\(", text):
                needed.add(name)
                waiting.append(helper)
    return [text for name, text in texts.items() if name in needed]


def _filled(text: str, values: dict[str, str]) -> str:
    for slot, value in values.items():
        text = text.replace(slot, value)
    return text


def imports_of(source: str) -> str:
    """The import lines a source needs."""
    lines = []
    moments = [name for name in ("date", "timedelta") if re.search(rf"\b{name}[.(]", source)]
    if moments:
        lines.append(f"from datetime import {', '.join(moments)}")
    if "Literal[" in source:
        lines.append("from typing import Literal")
    return "\n".join(lines)
