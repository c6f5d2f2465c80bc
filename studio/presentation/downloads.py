"""What is shown, as a file: CSV whose cells cannot become formulas, JSON, and pictures."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any, cast

from asgiref.sync import sync_to_async
from django.http import HttpResponse, StreamingHttpResponse
from django.template.loader import render_to_string

from studio.presentation.box_diagram import Diagram

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""First characters that make a spreadsheet compute a cell (OWASP, CSV injection); their full-width forms, and
what stands behind white space or what is not seen, do so too in some."""
_UNSEEN = " \u00a0\u200b\u200c\u200d\u2060\ufeff\u3000"

_PART_CHARACTERS = 65_536


def neutral(value: Any) -> Any:
    """A cell that a spreadsheet shows and does not compute; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    begins = unicodedata.normalize("NFKC", value.lstrip(_UNSEEN)[:1])
    return "'" + value if begins.startswith(FORMULA) else value


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """A CSV file to be kept."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = _attachment(name, "csv")
    writer = csv.writer(response)
    writer.writerow([neutral(column) for column in columns])
    writer.writerows([neutral(value) for value in row] for row in rows)
    return response


class StreamedFile(StreamingHttpResponse):
    """A file that is sent while it is written, to asynchronous servers too: Django would collect it whole."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts = cast("Iterator[bytes]", self.streaming_content)
        while (part := await sync_to_async(lambda: next(parts, None))()) is not None:
            yield part


def streamed_csv(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> StreamedFile:
    """A CSV file of any length."""
    response = StreamedFile(_csv_parts(columns, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = _attachment(name, "csv")
    return response


def _csv_parts(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([neutral(column) for column in columns])
    for row in rows:
        writer.writerow([neutral(value) for value in row])
        if text.tell() > _PART_CHARACTERS:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


def json_response(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """A JSON file to be kept: a list of objects."""
    content = json.dumps(
        [dict(zip(columns, row, strict=True)) for row in rows], ensure_ascii=False, default=str
    )
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = _attachment(name, "json")
    return response


def svg_response(name: str, diagram: Diagram, label: str) -> HttpResponse:
    """A diagram as a picture to be kept, in colours of its own."""
    content = render_to_string(
        "parts/_diagram_picture.html", {"diagram": diagram, "label": label, "whole": True}
    )
    response = HttpResponse(content, content_type="image/svg+xml")
    response["Content-Disposition"] = _attachment(name, "svg")
    return response


def _attachment(name: str, kind: str) -> str:
    plain = "".join(character if character.isascii() and character.isalnum() else "_" for character in name)
    return f'attachment; filename="{plain[:80] or "list"}.{kind}"'
