"""Rows of every table as lines of JSON, alike on every database, and back."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any

import orjson
from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models

LEFT_OUT = frozenset(
    {
        "sessions.session", "axes.accessattempt", "axes.accesslog", "axes.accessfailurelog",
        "studio.worldserver", "studio.servedbundle",
    }
)  # fmt: skip
"""Tables of the moment: people sign in again, nobody stays locked out, world servers register again."""
ROWS_AT_ONCE = 500


class StoredTable:
    """One table of the database.

    Args:
        model: Its model.

    Attributes:
        name: Application and model, in lower case.
        rows: All of them, whatever the model's own manager leaves out.
    """

    def __init__(self, model: type[models.Model]) -> None:
        self._model = model
        self.name: str = model._meta.label_lower  # noqa: SLF001 - Django's documented way to ask a model
        self.rows: models.Manager[Any] = model._base_manager  # noqa: SLF001
        self._fields = {field.attname: field for field in model._meta.concrete_fields}  # noqa: SLF001

    def lines(self) -> Iterator[bytes]:
        """Every row by its key, a line each."""
        for row in self.rows.order_by("pk").iterator(chunk_size=ROWS_AT_ONCE):
            values = {name: _encoded(field.value_from_object(row)) for name, field in self._fields.items()}
            yield orjson.dumps(values, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS) + b"\n"

    def store(self, lines: Iterable[bytes]) -> None:
        """Insert rows that `lines` wrote."""
        remaining = iter(lines)
        while portion := list(islice(remaining, ROWS_AT_ONCE)):
            self.rows.bulk_create([self._row(orjson.loads(line)) for line in portion])

    def _row(self, values: dict[str, Any]) -> models.Model:
        return self._model(**{name: _decoded(self._fields[name], value) for name, value in values.items()})


def stored_tables() -> list[StoredTable]:
    """Every table that a backup has, in an order that is the same everywhere."""
    every = apps.get_models(include_auto_created=True)
    tables = [StoredTable(model) for model in every if not model._meta.proxy]  # noqa: SLF001
    return sorted((table for table in tables if table.name not in LEFT_OUT), key=lambda table: table.name)


def fingerprint_of(lines: Iterable[bytes]) -> tuple[str, int]:
    """SHA-256 of all lines, and how many there are."""
    digest, count = hashlib.sha256(), 0
    for line in lines:
        digest.update(line)
        count += 1
    return digest.hexdigest(), count


def reset_sequences() -> None:
    """Let new rows get numbers above the stored ones, where the database counts by itself."""
    every = apps.get_models(include_auto_created=True)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), every):
            cursor.execute(statement)


def _encoded(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    return value


def _decoded(field: models.Field[Any, Any], value: Any) -> Any:
    if value is None or isinstance(field, models.JSONField):
        return value
    if isinstance(field, models.BinaryField):
        return base64.b64decode(value)
    return field.to_python(value)
