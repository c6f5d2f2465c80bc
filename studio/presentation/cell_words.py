"""The columns of a table for forms in plain language: amounts, and the names of rows and states."""

from __future__ import annotations

from collections.abc import Iterable

from studio.forms.cells import CellWords, holds_text, number_or_text
from studio.forms.dictionaries import format_words
from studio.presentation.plain_language import PlainLanguage
from studio.services.browse.pickers import distinguished
from synthesis.documents.schema import Column, Table


def cell_words(plain: PlainLanguage, table: Table, columns: Iterable[Column]) -> list[CellWords]:
    """How a form writes each of some columns."""
    return [_words(plain, table, column) for column in columns]


def _words(plain: PlainLanguage, design: Table, column: Column) -> CellWords:
    table, name = design.name, column.name
    kind = plain.format_of(table, name)
    as_stored = str if holds_text(column) else number_or_text
    names = dict(
        distinguished((as_stored(value), title) for value, title in plain.states(table, name).items())
    )
    hint = format_words(kind)
    if (referred := plain.refers_to(table, name)) is not None:
        names = dict(distinguished(plain.rows_named_by_key(*referred)))
        hint = plain.one_of(referred[0]).lower()
    elif names:
        hint = "one of a few"
    if referred is None and design.primary_key == (name,):
        hint = "text" if holds_text(column) else "number, the next one if empty"
    elif not column.not_null:
        hint += ", may be empty"
    return CellWords(
        title=plain.column(table, name),
        hint=hint,
        cents=kind == "money_cents",
        names=names,
        options=f"options-{table}-{name}" if names else "",
    )
