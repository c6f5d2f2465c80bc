"""What is shown, as a file: CSV whose cells cannot become formulas, and JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet compute a cell (OWASP, CSV injection)."""


def neutral(value: Any) -> Any:
    """A cell that a spreadsheet shows and does not compute; numbers stay numbers."""
    if isinstance(value, str) and value.startswith(FORMULA):
        return "'" + value
    return value


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """A CSV file to be kept."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = _attachment(name, "csv")
    writer = csv.writer(response)
    writer.writerow([neutral(column) for column in columns])
    writer.writerows([neutral(value) for value in row] for row in rows)
    return response


def json_response(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """A JSON file to be kept: a list of objects."""
    content = json.dumps(
        [dict(zip(columns, row, strict=True)) for row in rows], ensure_ascii=False, default=str
    )
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = _attachment(name, "json")
    return response


def _attachment(name: str, kind: str) -> str:
    plain = "".join(character if character.isascii() and character.isalnum() else "_" for character in name)
    return f'attachment; filename="{plain[:80] or "list"}.{kind}"'
