"""Helpers: functions that generated tools may use; a module gets those it calls."""

from __future__ import annotations

import re

from synthesis.procedural.composing.helper_source import HELPERS as CATALOGUE_HELPERS

HELPERS = {
    "_day": CATALOGUE_HELPERS["_day"],
    "_optional_day": CATALOGUE_HELPERS["_optional_day"],
    "_where": CATALOGUE_HELPERS["_where"],
    "_page": CATALOGUE_HELPERS["_page"],
    "_moment": """def _moment(value: str, what: str, separator: str) -> str:
    try:
        if not re.fullmatch(r"(19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?", value):
            raise ValueError(value)
        return datetime.fromisoformat(value).isoformat(separator)
    except ValueError:
        raise ToolError(f"{what} must be a moment written YYYY-MM-DDTHH:MM.") from None
""",
    "_time_of_day": """def _time_of_day(value: str, what: str) -> str:
    if not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?", value):
        raise ToolError(f"{what} must be a time written HH:MM.")
    return value if len(value) == 8 else f"{value}:00"
""",
    "_text": """def _text(value: str, what: str, longest: int = 200) -> str:
    text = value.strip()
    if not text or len(text) > longest or not text.isprintable():
        raise ToolError(f"{what} must be 1 to {longest} printable characters.")
    return text
""",
    "_wanted": """def _wanted(value: str | None, what: str) -> str | None:
    return None if value is None else _text(value, what)
""",
    "_number": """def _number(value: float, what: str, low: float, high: float) -> float:
    if not low <= value <= high:
        raise ToolError(f"{what} must be from {low} to {high}.")
    return value
""",
    "_row": """def _row(db, view: str, key: str, what: str, *values) -> dict:
    row = db.one(f"{view} WHERE {key}", *values)
    if row is None:
        raise ToolError(f"{what} {', '.join(str(value) for value in values)} does not exist.")
    return row
""",
    "_known": """def _known(db, table: str, column: str, what: str, value):
    if value is not None and db.one(f"SELECT 1 AS n FROM {table} WHERE {column} = ?", value) is None:
        raise ToolError(f"{what} {value} does not exist.")
    return value
""",
    "_none_refer": """def _none_refer(db, sql: str, what: str, *values) -> None:
    count = db.one(sql, *values)["n"]
    if count:
        raise ToolError(f"{what}: {count} of them. Nothing was deleted.")
""",
    "_insert": """def _insert(db, table: str, what: str, values: dict) -> tuple:
    try:
        key = db.insert(table, **values)
    except Exception as error:
        _refuse_if_forbidden(error, what)
        raise
    return key if isinstance(key, tuple) else (key,)
""",
    "_update": """def _update(db, table: str, key: str, what: str, changes: dict, *values) -> None:
    assigned = ", ".join(f"{column} = ?" for column in changes)
    try:
        db.execute(f"UPDATE {table} SET {assigned} WHERE {key}", *changes.values(), *values)
    except Exception as error:
        _refuse_if_forbidden(error, what)
        raise
""",
    "_refuse_if_forbidden": '''def _refuse_if_forbidden(error: Exception, what: str) -> None:
    """A rule of the database is a refusal; anything else is a fault."""
    told = str(error)
    if "constraint failed" in told:
        rule = told.split("constraint failed")[0].split(":")[-1].strip()
        about = told.split("constraint failed")[-1].strip(": ")
        raise ToolError(f"{what} was not saved, it would break a {rule} rule: {about}.") from None
''',
    "_next": """def _next(db, table: str, column: str) -> int:
    return (db.one(f"SELECT max({column}) AS n FROM {table}")["n"] or 0) + 1
""",
    "_uuid": """def _uuid(db) -> str:
    text = f"{_epoch(db):08x}{db.random.getrandbits(96):024x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"
""",
    "_fresh_key": '''def _fresh_key(db, table: str, column: str, lead: str) -> str:
    """A key that no row has; it follows from the rows alone, a UUID where there is no lead."""
    number = db.one(f"SELECT count(*) AS n FROM {table}")["n"] + 1
    while True:
        mixed = f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}{number * 0xC2B2AE3D27D4EB4F % 2**64:016x}"
        uuid = f"{mixed[:8]}-{mixed[8:12]}-4{mixed[13:16]}-a{mixed[17:20]}-{mixed[20:]}"
        key = f"{lead}-{mixed[:8]}" if lead else uuid
        if db.one(f"SELECT 1 AS n FROM {table} WHERE {column} = ?", key) is None:
            return key
        number += 1
''',
    "_token": """def _token(db) -> str:
    return f"{_epoch(db):08x}{db.random.getrandbits(64):016x}"[::-1]
""",
    "_now": """def _now(db, separator: str) -> str:
    return datetime.fromisoformat(str(db.now())).isoformat(separator)
""",
    "_epoch": """def _epoch(db) -> int:
    return int((datetime.fromisoformat(str(db.now())) - datetime(1970, 1, 1)).total_seconds())
""",
}
"""Source of each helper, in the order they are written."""


def used_helpers(source: str) -> list[str]:
    """The helpers a source calls, and those they call in turn, in order."""
    needed: set[str] = set()
    waiting = [source]
    while waiting:
        text = waiting.pop()
        for name, helper in HELPERS.items():
            if name not in needed and re.search(rf"\b{name}\(", text):
                needed.add(name)
                waiting.append(helper)
    return [helper for name, helper in HELPERS.items() if name in needed]
