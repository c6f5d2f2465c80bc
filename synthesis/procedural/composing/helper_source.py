"""HelperSource: the helpers that generated tools may use; a module gets those it calls."""

from __future__ import annotations

import re

HELPERS = {
    "_now": """def _now(db) -> str:
    return datetime.fromisoformat(str(db.now())).isoformat()
""",
    "_today": """def _today(db) -> str:
    return _now(db)[:10]
""",
    "_days_since": """def _days_since(db, day: str) -> int:
    return (date.fromisoformat(_today(db)) - date.fromisoformat(day[:10])).days
""",
    "_hours_until": """def _hours_until(db, moment: str) -> float:
    return (datetime.fromisoformat(moment) - datetime.fromisoformat(_now(db))).total_seconds() / 3600
""",
    "_plus_days": """def _plus_days(day: str, days: int) -> str:
    return (date.fromisoformat(day[:10]) + timedelta(days=days)).isoformat()
""",
    "_text": """def _text(value: str, what: str, longest: int = 80) -> str:
    text = value.strip()
    if not text or len(text) > longest or not text.isprintable():
        raise ToolError(f"{what} must be 1 to {longest} printable characters.")
    return text
""",
    "_wanted": """def _wanted(value: str | None, what: str) -> str | None:
    return None if value is None else _text(value, what)
""",
    "_phone": """def _phone(value: str) -> str:
    if not re.fullmatch(r"\\+?[0-9][0-9 -]{4,18}[0-9]", value):
        raise ToolError("phone must be 6 to 20 digits, spaces or hyphens, with an optional leading plus.")
    return value
""",
    "_email": """def _email(value: str) -> str:
    if len(value) > 120 or not re.fullmatch(r"[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+", value):
        raise ToolError("email must look like name@example.org.")
    return value
""",
    "_day": """def _day(value: str, what: str) -> str:
    try:
        if not re.fullmatch(r"(19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}", value):
            raise ValueError(value)
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ToolError(f"{what} must be a calendar day written YYYY-MM-DD.") from None
""",
    "_moment": """def _moment(value: str, what: str) -> str:
    try:
        if not re.fullmatch(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:00)?", value):
            raise ValueError(value)
        return datetime.fromisoformat(value).isoformat()
    except ValueError:
        raise ToolError(f"{what} must be a moment written YYYY-MM-DDTHH:MM.") from None
""",
    "_optional_day": """def _optional_day(value: str | None, what: str) -> str | None:
    return None if value is None else _day(value, what)
""",
    "_money": """def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"
""",
    "_row": """def _row(db, table: str, row_id: int, what: str) -> dict:
    row = db.one(f"SELECT * FROM {table} WHERE id = ?", row_id) if 0 < row_id <= LARGEST_ID else None
    if row is None:
        raise ToolError(f"{what} {row_id} does not exist.")
    return row
""",
    "_known": """def _known(db, table: str, row_id: int | None, what: str) -> int | None:
    return None if row_id is None else _row(db, table, row_id, what)["id"]
""",
    "_where": '''def _where(*conditions: tuple) -> tuple[str, list]:
    """A WHERE clause of the conditions whose value was given."""
    given = [(condition, value) for condition, value in conditions if value is not None]
    if not given:
        return "", []
    return " WHERE " + " AND ".join(condition for condition, _ in given), [value for _, value in given]
''',
    "_page": """def _page(db, sql: str, params: list, order: str, limit: int, offset: int) -> dict:
    if not 1 <= limit <= MAX_LIMIT:
        raise ToolError(f"limit must be from 1 to {MAX_LIMIT}.")
    if not 0 <= offset <= LARGEST_ID:
        raise ToolError("offset must not be negative.")
    total = db.one(f"SELECT count(*) AS n FROM ({sql})", *params)["n"]
    items = db.query(f"SELECT * FROM ({sql}) ORDER BY {order} LIMIT ? OFFSET ?", *params, limit, offset)
    return {"total": total, "items": items}
""",
    "_next_number": '''def _next_number(db, table: str, prefix: str) -> str:
    """The number after the highest one given so far."""
    start = len(prefix) + 2
    last = db.one(f"SELECT max(CAST(substr(number, {start}) AS INTEGER)) AS n FROM {table}")["n"]
    return f"{prefix}-{(last or 1000) + 1}"
''',
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


def imports(source: str) -> str:
    """The import lines a source needs."""
    lines = ["import re"] if "re." in source else []
    moments = [name for name in ("date", "datetime", "timedelta") if re.search(rf"\b{name}[.(]", source)]
    if moments:
        lines.append(f"from datetime import {', '.join(moments)}")
    if "Literal[" in source:
        lines.append("from typing import Literal")
    return "\n".join(lines)
