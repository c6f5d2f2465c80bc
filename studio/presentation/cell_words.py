"""The columns of a table for forms in plain language: amounts, and the names of rows and states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from studio.forms.cells import CellWords, holds_text, number_or_text
from studio.forms.dictionaries import format_words
from studio.presentation.plain_language import PlainLanguage
from synthesis.documents.schema import Column, Table
from synthesis.documents.seed_data import Scalar


def cell_words(plain: PlainLanguage, table: Table, columns: Iterable[Column]) -> list[CellWords]:
    """How a form writes each of some columns."""
    return [_words(plain, table.name, column) for column in columns]


def _words(plain: PlainLanguage, table: str, column: Column) -> CellWords:
    name = column.name
    kind = plain.format_of(table, name)
    as_stored = str if holds_text(column) else number_or_text
    names = _distinct((as_stored(value), title) for value, title in plain.states(table, name).items())
    hint = format_words(kind)
    if (referred := plain.refers_to(table, name)) is not None:
        names = _distinct(plain.rows_named_by_key(*referred))
        hint = plain.one_of(referred[0]).lower()
    elif names:
        hint = "one of a few"
    if not column.not_null:
        hint += ", may be empty"
    return CellWords(
        title=plain.column(table, name),
        hint=hint,
        cents=kind == "money_cents",
        names=names,
        options=f"options-{table}-{name}" if names else "",
    )


def _distinct(rows: Iterable[tuple[Scalar, str]]) -> dict[Scalar, str]:
    """Keys to names, with the key behind names that several rows share."""
    known = dict(rows)
    shared = {name for name, count in Counter(known.values()).items() if count > 1}
    return {key: f"{name} ({key})" if name in shared else name for key, name in known.items()}
