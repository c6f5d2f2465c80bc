"""A table as a sheet: every cell a field, a mark to remove a row, empty lines to add some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

from studio.forms.cells import TEXT_TYPES, CellWords, as_stored
from studio.forms.edits import EditForm
from studio.services.environments.sheets import SheetChange
from synthesis.documents.schema import Column, Table
from synthesis.documents.seed_data import Row, Scalar

MOST_ROWS = 50
"""Rows of one sheet."""
MOST_FIELDS = 900
"""Of one form: Django refuses more than a thousand."""
NEW_ROWS = 5
LONG = 60
"""Characters from which a cell has more than one line."""


@dataclass(frozen=True)
class SheetCell:
    """One cell as it is shown."""

    name: str
    column: str
    options: str
    text: str
    placeholder: str
    long: bool
    error: str


@dataclass(frozen=True)
class SheetLine:
    """One row as it is shown; `number` is 0 for a line that adds one."""

    number: int
    name: str
    removed: bool
    cells: tuple[SheetCell, ...]


class SheetForm(EditForm):
    """Some rows of a table and empty lines below; only what differs from what was shown is a change.

    Args:
        table: The table.
        rows: All its rows.
        start: The first that is shown, from 0.
        words: How each column that is not generated is written; as it is stored when None.
    """

    base = forms.IntegerField(widget=forms.HiddenInput)
    """The revision whose rows are shown; `revision` becomes a later one when others were faster."""

    def __init__(
        self,
        *args: Any,
        table: Table,
        rows: Sequence[Row],
        start: int = 0,
        words: Sequence[CellWords] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.columns = [column for column in table.columns if not column.generated]
        self.plain = words is not None
        self.words = words if words is not None else [as_stored(column) for column in self.columns]
        self.rows = rows
        count = MOST_FIELDS // (len(self.columns) + 1) - NEW_ROWS
        self.start = start
        self.end = min(len(rows), start + max(1, min(MOST_ROWS, count)))
        self.wrong: dict[str, str] = {}

    def lines(self) -> list[SheetLine]:
        """The rows that are shown, then the lines that add some."""
        known = [self._line(at + 1, f"r{at}", self.rows[at]) for at in range(self.start, self.end)]
        return [*known, *(self._line(0, f"n{at}", {}) for at in range(NEW_ROWS))]

    def clean(self) -> dict[str, Any]:
        """What is changed; every cell that cannot be read is named."""
        cleaned = super().clean() or self.cleaned_data
        cells, removed = {}, set()
        for at in range(self.start, self.end):
            if f"x.r{at}" in self.data:
                removed.add(at)
            elif values := self._changed(f"r{at}", self.rows[at], f"Row {at + 1}"):
                cells[at] = values
        added = [self._changed(f"n{at}", {}, f"New row {at + 1}") for at in range(NEW_ROWS)]
        self.asked = SheetChange(cells, frozenset(removed), tuple(row for row in added if row))
        return cleaned

    def _changed(self, line: str, before: Row, title: str) -> dict[str, Scalar]:
        values: dict[str, Scalar] = {}
        for number, (column, cell) in enumerate(zip(self.columns, self.words, strict=True)):
            name, was = f"{line}.{number}", before.get(column.name)
            text = _lines(self.data.get(name, cell.written(was)))
            if text == cell.written(was):
                continue
            try:
                values[column.name] = _value(text, column, was, cell)
            except ValueError as error:
                self.wrong[name] = str(error)
                self.add_error(None, f"{title}: {error}")
        return values

    def _line(self, number: int, line: str, row: Row) -> SheetLine:
        cells = []
        for at, (column, cell) in enumerate(zip(self.columns, self.words, strict=True)):
            name, shown = f"{line}.{at}", cell.written(row.get(column.name))
            text = _lines(self.data.get(name, shown)) if self.is_bound else shown
            cells.append(
                SheetCell(
                    name=name,
                    column=cell.title,
                    options=cell.options,
                    text=text,
                    placeholder=self._placeholder(row, column.name) if number else "",
                    long="\n" in text or len(text) > LONG,
                    error=self.wrong.get(name, ""),
                )
            )
        return SheetLine(number, line, f"x.{line}" in self.data, tuple(cells))

    def _placeholder(self, row: Row, column: str) -> str:
        if column not in row:
            return "default"
        if row[column] is None:
            return "nothing" if self.plain else "NULL"
        return "empty text"


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _value(text: str, column: Column, before: Scalar, cell: CellWords) -> Scalar:
    """A changed cell's value; one that was emptied holds nothing, where the column allows that.

    Raises:
        ValueError: The text is no number where one is declared, or nothing stands where something must.
    """
    if text:
        return cell.read(text, column, before)
    if not column.not_null:
        return None
    if any(word in column.type.upper() for word in TEXT_TYPES):
        return ""
    raise ValueError(f"{cell.title} cannot be empty: enter a value.")
