"""How the cells of a form are written and read: as they are stored, or as people say them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.forms.amounts import amount, cents_of
from synthesis.documents.schema import Column
from synthesis.documents.seed_data import Scalar

TEXT_TYPES = ("CHAR", "CLOB", "TEXT")


@dataclass(frozen=True)
class CellWords:
    """How the values of one column are written in a form.

    Attributes:
        title: What the column is called.
        hint: What it holds, in words or as its type.
        cents: Whether whole numbers of cents are written as amounts: 6000 as "60.00".
        names: What some values are called: the names of the rows that a key refers to, or states.
        options: What the browser lists its suggestions under; "" where it suggests nothing.
        added: What rows are called that the same form adds, and that a key can refer to.
    """

    title: str
    hint: str = ""
    cents: bool = False
    names: Mapping[Scalar, str] = field(default_factory=dict)
    options: str = ""
    added: Sequence[str] = ()

    def written(self, value: Scalar) -> str:
        """A value as the form shows it."""
        if value is None:
            return ""
        if value in self.names:
            return self.names[value]
        if self.cents and isinstance(value, int):
            return amount(value)
        return str(value).replace("\r\n", "\n").replace("\r", "\n")

    def read(self, text: str, column: Column, before: Scalar) -> Scalar:
        """The value that a text means; what was not touched keeps its own.

        Raises:
            ValueError: The text is no number, no amount or none of the names where one is needed.
        """
        if before is not None and text == self.written(before):
            return before
        if self.names:
            return self._named(text)
        return self._amount(text) if self.cents else self._plain(text, column)

    def _named(self, text: str) -> Scalar:
        known = {
            **{str(value): value for value in self.names},
            **{name: value for value, name in self.names.items()},
        }
        if text in known:
            return known[text]
        raise ValueError(f"{self.title} is one of those that are suggested, not {text!r}.")

    def _amount(self, text: str) -> Scalar:
        try:
            return cents_of(text)
        except ValueError as error:
            raise ValueError(f"{self.title}: {error}") from None

    def _plain(self, text: str, column: Column) -> Scalar:
        declared = column.type.upper()
        if holds_text(column):
            return text
        try:
            if "INT" in declared:
                return int(text)
            if any(word in declared for word in ("REAL", "FLOA", "DOUB")):
                return float(text)
        except ValueError:
            raise ValueError(f"{self.title} holds numbers: enter one, not {text!r}.") from None
        return number_or_text(text)


def holds_text(column: Column) -> bool:
    """Whether a column stores texts, also those that look like numbers."""
    return any(word in column.type.upper() for word in TEXT_TYPES)


def as_stored(column: Column) -> CellWords:
    """A column as the design has it: by its name and type, every value as it is stored."""
    marks = [
        column.type,
        *(["key"] if column.primary_key else []),
        *(["not null"] if column.not_null else []),
    ]
    return CellWords(column.name, ", ".join(marks))


def number_or_text(text: str) -> Scalar:
    """A number where the text is a finite one."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return number if isinstance(number, int) or math.isfinite(number) else text
    return text
