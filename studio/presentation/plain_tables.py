"""One table of an environment in plain language: titles, values by their format, rows by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.presentation.plain_language import PlainLanguage
from synthesis.documents.schema import Table

NUMBERS = ("number", "money", "money_cents")
"""Formats whose values stand to the right."""


@dataclass(frozen=True)
class PlainTable:
    """Speaks of one table.

    Attributes:
        words: The speaker of the environment.
        table: The table.
    """

    words: PlainLanguage
    table: Table

    @property
    def title(self) -> str:
        """What the table is called."""
        return self.words.table(self.table.name)

    @property
    def singular(self) -> str:
        """What one row of it is called."""
        return self.words.one_of(self.table.name)

    @property
    def columns(self) -> list[str]:
        """What its columns are called, without the key that only tells rows apart."""
        return [self.column(each.name) for each in self.table.columns if not self.only_key(each.name)]

    def column(self, name: str) -> str:
        """What a column is called."""
        return self.words.column(self.table.name, name)

    def is_number(self, name: str) -> bool:
        """Whether a column holds amounts."""
        return self.words.format_of(self.table.name, name) in NUMBERS

    def on_one_line(self, name: str) -> bool:
        """Whether the values of a column are short enough for one line: amounts, dates, times."""
        return self.words.format_of(self.table.name, name) not in ("text", "yes_no")

    def only_key(self, name: str) -> bool:
        """Whether a column does nothing but tell rows apart: people have names for that."""
        key = self.words.primary_key(self.table.name)
        return key == (name,) and name not in self.words.naming(self.table.name)

    def in_name(self, name: str) -> bool:
        """Whether a list of named rows needs no column for it: the name says it, or it is only a key."""
        return self.only_key(name) or self.words.naming(self.table.name) == (name,)

    def cell(self, name: str, value: Any, label: str | None) -> str | None:
        """A value as people read it; None where it is best shown as it is stored.

        Args:
            name: The column.
            value: What is stored.
            label: What the row that a key refers to is called in the database itself, if it is known.
        """
        if value is None:
            return None
        referred = self.words.referred(self.table.name, name, value)
        if referred is not None:
            return referred or label or self.words.value(self.table.name, name, value).text
        return self.words.differently(self.table.name, name, value)

    def choice(self, name: str, text: str | None) -> str | None:
        """A value that a facet offers; None where it is best shown as it is stored."""
        return None if text is None else self.words.differently(self.table.name, name, _number(text))

    def row(self, values: Mapping[str, Any]) -> str:
        """What a row is called."""
        return self.words.row(self.table.name, values)

    def named(self, keys: Mapping[str, Any]) -> str:
        """What the row with these key values is called; "" where it is not known."""
        if len(keys) != 1:
            return ""
        ((column, value),) = keys.items()
        return self.words.name_of(self.table.name, column, value)


def _number(text: str) -> str | int | float:
    """What a facet counts as text, as the number it is, if it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
