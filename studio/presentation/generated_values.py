"""Generated values: what columns hold that the database puts together from others of their row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from synthesis.documents.schema import Table

_PART = re.compile(r"'((?:[^']|'')*)'|\"?(\w+)\"?")


def generated_value(table: Table, column: str, row: Mapping[str, Any]) -> str | None:
    """The text of a generated column that joins words and other columns, as in ('BR-' || id).

    None for other columns, for other expressions, and where the row lacks a column that is needed.
    """
    if not any(each.name == column and each.generated for each in table.columns):
        return None
    written = re.search(
        rf'(?<!\w)"?{re.escape(column)}"?\s+\w+\s+(?:GENERATED\s+ALWAYS\s+)?AS\s*\(([^()]*)\)',
        table.sql,
        re.IGNORECASE,
    )
    if written is None:
        return None
    parts = [_PART.fullmatch(part.strip()) for part in written[1].split("||")]
    values = [_value(part, row) for part in parts]
    return None if None in values else "".join(str(value) for value in values)


def _value(part: re.Match[str] | None, row: Mapping[str, Any]) -> str | None:
    if part is None:
        return None
    word, name = part.groups()
    if word is not None:
        return str(word.replace("''", "'"))
    value = row.get(name)
    return None if value is None else str(value)
