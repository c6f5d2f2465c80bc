"""A table as a sheet: every cell a field, a mark to remove a row, empty lines to add some.

Rows of other tables that its rows refer to are added in the same sheet: a new pet and the visit of that pet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django import forms

from studio.forms.cells import TEXT_TYPES, CellWords, as_stored
from studio.forms.edits import EditForm
from studio.services.environments.sheets import Cells, NewRow, SheetChange
from synthesis.documents.schema import Column, Table
from synthesis.documents.seed_data import Row, Scalar

MOST_ROWS = 50
"""Rows of one sheet."""
MOST_FIELDS = 900
"""Of one form: Django refuses more than a thousand."""
NEW_ROWS = 5
NEW_ELSEWHERE = 2
"""Lines that add rows to each table that this one refers to."""
MOST_OTHERS = 6
"""Tables that rows are added to beside the one that is edited, the nearest to it first."""
LONGEST = 20_000
"""Characters of a cell that is filled in here; a longer one is edited with its row, and only begun here."""
BEGINNING = 200
LONG = 60
"""Characters from which a cell has more than one line."""


@dataclass(frozen=True)
class SheetTable:
    """A table as a sheet shows it.

    Attributes:
        table: The table.
        title: What it is called.
        one: What one row of it is called.
        words: How each column that is not generated is written; as it is stored when None.
        refers: By column, the table and the column that it refers to.
        name_of: What people call a row of it.
    """

    table: Table
    title: str
    one: str
    words: Sequence[CellWords] | None = None
    refers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    name_of: Callable[[Row], str] = field(default=lambda _row: "")

    @property
    def columns(self) -> list[Column]:
        """The columns that are filled in."""
        return [column for column in self.table.columns if not column.generated]

    @property
    def cells(self) -> list[tuple[Column, CellWords]]:
        """The columns that are filled in, each with how it is written."""
        words = self.words if self.words is not None else [as_stored(column) for column in self.columns]
        return list(zip(self.columns, words, strict=True))

    @property
    def headings(self) -> list[CellWords]:
        """What each column is called and holds."""
        return [words for _, words in self.cells]

    def label(self, at: int) -> str:
        """What the sheet calls a row that it adds, from 0: "New pet 1"."""
        return f"New {self.one.lower()} {at + 1}"


def with_rows_added(sheet: SheetTable, sheets: Sequence[SheetTable]) -> SheetTable:
    """A table whose keys also suggest the rows that a sheet adds to what they refer to.

    Args:
        sheet: The table.
        sheets: All tables of the sheet, the edited one first.
    """
    if sheet.words is None:
        return sheet
    counts = {each.table.name: NEW_ELSEWHERE for each in sheets} | {sheets[0].table.name: NEW_ROWS}
    labels = {each.table.name: [each.label(at) for at in range(counts[each.table.name])] for each in sheets}
    words = []
    for column, cell in zip(sheet.columns, sheet.words, strict=True):
        added = labels.get(sheet.refers.get(column.name, ("", ""))[0], ())
        options = cell.options or (f"options-{sheet.table.name}-{column.name}" if added else "")
        words.append(replace(cell, added=added, options=options))
    return replace(sheet, words=words)


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
    characters: int
    """How many it has where it is too long for a sheet, and `text` is its beginning; else 0."""


@dataclass(frozen=True)
class SheetLine:
    """One row as it is shown; `number` is 0 for a line that adds one."""

    number: int
    label: str
    name: str
    removed: bool
    cells: tuple[SheetCell, ...]


@dataclass(frozen=True)
class AddedElsewhere:
    """The lines that add rows to a table that this one refers to."""

    title: str
    headings: Sequence[CellWords]
    lines: Sequence[SheetLine]


class SheetForm(EditForm):
    """Some rows of a table and empty lines below; only what differs from what was shown is a change.

    Args:
        sheet: The table.
        rows: All its rows.
        start: The first that is shown, from 0.
        others: Tables that it refers to, itself or through others: rows are added to them as well.
    """

    base = forms.IntegerField(widget=forms.HiddenInput)
    """The revision whose rows are shown; `revision` becomes a later one when others were faster."""

    def __init__(
        self,
        *args: Any,
        sheet: SheetTable,
        rows: Sequence[Row],
        start: int = 0,
        others: Sequence[SheetTable] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sheet = sheet
        self.others = others
        self.plain = sheet.words is not None
        self.rows = rows
        elsewhere = sum(len(each.columns) for each in others) * NEW_ELSEWHERE
        count = (MOST_FIELDS - elsewhere) // (len(sheet.columns) + 1) - NEW_ROWS
        self.start = start
        self.end = min(len(rows), start + max(1, min(MOST_ROWS, count)))
        self.wrong: dict[str, str] = {}

    def lines(self) -> list[SheetLine]:
        """The rows that are shown, then the lines that add some."""
        known = [
            self._line(self.sheet, f"r{at}", self.rows[at], str(at + 1), at + 1)
            for at in range(self.start, self.end)
        ]
        return [*known, *self._new_lines(self.sheet)]

    def elsewhere(self) -> list[AddedElsewhere]:
        """The lines that add rows to tables that this one refers to."""
        return [AddedElsewhere(each.title, each.headings, self._new_lines(each)) for each in self.others]

    def used_elsewhere(self) -> bool:
        """Whether something was written in those lines."""
        return any(cell.text for each in self.elsewhere() for line in each.lines for cell in line.cells)

    def clean(self) -> dict[str, Any]:
        """What is changed; every cell that cannot be read is named."""
        cleaned = super().clean() or self.cleaned_data
        self._new = self._new_rows()
        cells: dict[int, Cells] = {}
        removed = set()
        for at in range(self.start, self.end):
            if f"x.r{at}" in self.data:
                removed.add(at)
            elif values := self._changed(self.sheet, f"r{at}", self.rows[at], f"Row {at + 1}"):
                cells[at] = values
        added = {each.table.name: tuple(self._added(each)) for each in (*self.others, self.sheet)}
        own = added.pop(self.sheet.table.name)
        self.asked = SheetChange(cells, frozenset(removed), own, added)
        return cleaned

    # Rows that are added

    def _keys(self, sheet: SheetTable) -> list[str]:
        """How the fields of the lines begin that add rows to a table."""
        if sheet is self.sheet:
            return [f"n{at}" for at in range(NEW_ROWS)]
        return [f"o{self.others.index(sheet)}n{at}" for at in range(NEW_ELSEWHERE)]

    def _filled(self, sheet: SheetTable) -> list[tuple[int, str]]:
        """The lines in which something was written that add rows to a table: number from 0, and fields."""
        fields = range(len(sheet.columns))
        return [
            (at, key)
            for at, key in enumerate(self._keys(sheet))
            if any(self.data.get(f"{key}.{number}", "") for number in fields)
        ]

    def _new_rows(self) -> dict[str, dict[str, list[NewRow]]]:
        """By table, the rows that are added by what they can be called: their label or their name."""
        results: dict[str, dict[str, list[NewRow]]] = {}
        for sheet in (*self.others, self.sheet):
            called = results.setdefault(sheet.table.name, {})
            for place, (at, key) in enumerate(self._filled(sheet)):
                row = NewRow(sheet.table.name, place, "", sheet.label(at))
                for words in {row.label.casefold(), sheet.name_of(self._own(sheet, key)).casefold()} - {""}:
                    called.setdefault(words, []).append(row)
        return results

    def _own(self, sheet: SheetTable, key: str) -> Row:
        """What a new row holds, but for what it refers to: enough for its name."""
        values: dict[str, Scalar] = {}
        for number, (column, cell) in enumerate(sheet.cells):
            text = self.data.get(f"{key}.{number}", "")
            if text and column.name not in sheet.refers:
                try:
                    values[column.name] = cell.read(text, column, None)
                except ValueError:
                    continue
        return values

    def _added(self, sheet: SheetTable) -> Iterator[Cells]:
        for at, key in self._filled(sheet):
            yield self._changed(sheet, key, {}, sheet.label(at))

    def _changed(self, sheet: SheetTable, line: str, before: Row, title: str) -> Cells:
        values: dict[str, Scalar | NewRow] = {}
        for number, (column, cell) in enumerate(sheet.cells):
            name, was = f"{line}.{number}", before.get(column.name)
            text = _lines(self.data.get(name, cell.written(was)))
            if text == cell.written(was):
                continue
            try:
                new = self._meant(sheet, column, cell, text)
                values[column.name] = new or _value(text, column, was, cell)
            except ValueError as error:
                self.wrong[name] = str(error)
                self.add_error(None, f"{title}: {error}")
        return values

    def _meant(self, sheet: SheetTable, column: Column, cell: CellWords, text: str) -> NewRow | None:
        """The row added by this sheet that a cell refers to, if it does.

        Raises:
            ValueError: Several rows are called like that, or the line of that row is empty.
        """
        table, referred = sheet.refers.get(column.name, ("", ""))
        matches = self._new.get(table, {}).get(text.casefold(), [])
        label = matches[0].label if matches else ""
        if matches[1:] or (matches and text in cell.names.values()):
            raise ValueError(f"{cell.title}: several are called {text!r}. Write “{label}” for the new one.")
        if not matches and any(text.casefold() == each.casefold() for each in self._labels(table)):
            raise ValueError(f"{cell.title}: {text} is empty. Fill it in, too.")
        return NewRow(table, matches[0].at, referred, label) if matches else None

    def _labels(self, table: str) -> list[str]:
        """What the lines that add rows to a table are called."""
        sheets = [each for each in (*self.others, self.sheet) if each.table.name == table]
        return [each.label(at) for each in sheets for at in range(len(self._keys(each)))]

    # What is shown

    def _new_lines(self, sheet: SheetTable) -> list[SheetLine]:
        return [self._line(sheet, key, {}, sheet.label(at)) for at, key in enumerate(self._keys(sheet))]

    def _line(self, sheet: SheetTable, line: str, row: Row, label: str, number: int = 0) -> SheetLine:
        cells = []
        for at, (column, cell) in enumerate(sheet.cells):
            name, shown = f"{line}.{at}", cell.written(row.get(column.name))
            text = _lines(self.data.get(name, shown)) if self.is_bound else shown
            is_cut = len(text) > LONGEST
            cells.append(
                SheetCell(
                    name=name,
                    column=cell.title,
                    options=cell.options,
                    text=text[:BEGINNING] if is_cut else text,
                    placeholder=self._placeholder(row, column.name) if number else "",
                    long="\n" in text or len(text) > LONG,
                    error=self.wrong.get(name, ""),
                    characters=len(text) if is_cut else 0,
                )
            )
        return SheetLine(number, label, line, f"x.{line}" in self.data, tuple(cells))

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
