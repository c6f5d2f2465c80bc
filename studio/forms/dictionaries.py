"""What people call the tables, columns, states, tools and tasks of an environment: one section at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from django import forms

from synthesis.documents.dictionary import ColumnEntry, ColumnFormat, TableEntry

FORMAT_WORDS: dict[str, str] = {
    "text": "text",
    "number": "number",
    "money": "money",
    "money_cents": "money, stored in cents",
    "date": "date",
    "moment": "date and time",
    "time": "time of day",
    "yes_no": "yes or no",
}


def format_words(kind: ColumnFormat) -> str:
    """How values are read, whatever form they are stored in."""
    return FORMAT_WORDS[kind].partition(",")[0]


FORMATS = [(kind, FORMAT_WORDS[kind]) for kind in get_args(ColumnFormat)]
LONGEST_TITLE, LONGEST_UNIT = 120, 40


class VersionForm(forms.Form):
    """The version of the dictionary that was looked at; sections add their fields."""

    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


class TitlesForm(VersionForm):
    """Titles of tools or of tasks.

    Args:
        derived: Name to the title that the design gives it.
        shown: Name to the title in use.
    """

    def __init__(self, *args: Any, derived: Mapping[str, str], shown: Mapping[str, str], **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.derived = derived
        for name, title in derived.items():
            self.fields[f"title.{name}"] = forms.CharField(
                label=title, required=False, max_length=LONGEST_TITLE, initial=shown.get(name, title)
            )

    def titles(self) -> dict[str, str]:
        """Only what differs from the design's own words."""
        given = {name: self.cleaned_data[f"title.{name}"] for name in self.derived}
        return {name: title for name, title in given.items() if title and title != self.derived[name]}

    def fields_by_name(self) -> Iterator[tuple[str, forms.BoundField]]:
        """Each name with its field."""
        for name in self.derived:
            yield name, self[f"title.{name}"]


class TableWordsForm(VersionForm):
    """Words for one table: what many and one of its rows are called, and its columns.

    Args:
        derived: The entry that the design gives.
        shown: The entry in use.
    """

    title = forms.CharField(label="Title of the table", max_length=LONGEST_TITLE)
    singular = forms.CharField(label="One row is called", max_length=LONGEST_TITLE)
    names_row = forms.MultipleChoiceField(
        label="Columns that together name a row", widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, derived: TableEntry, shown: TableEntry, **kwargs: Any):
        start = {"title": shown.title, "singular": shown.singular, "names_row": shown.names_row}
        kwargs["initial"] = {**start, **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        self.derived, self.shown = derived, shown
        naming = self.fields["names_row"]
        assert isinstance(naming, forms.MultipleChoiceField)
        naming.choices = [(name, entry.title) for name, entry in shown.columns.items()]
        for name, entry in shown.columns.items():
            self._add_column(name, entry)

    def _add_column(self, name: str, entry: ColumnEntry) -> None:
        self.fields[f"title.{name}"] = forms.CharField(
            label="Title", max_length=LONGEST_TITLE, initial=entry.title
        )
        self.fields[f"format.{name}"] = forms.ChoiceField(
            label="Read as", choices=FORMATS, initial=entry.format or "text"
        )
        self.fields[f"unit.{name}"] = forms.CharField(
            label="Unit", required=False, max_length=LONGEST_UNIT, initial=entry.unit
        )
        for place, (value, words) in enumerate(entry.values.items()):
            self.fields[f"value.{name}.{place}"] = forms.CharField(
                label=value, required=False, max_length=LONGEST_TITLE, initial=words
            )

    def columns(self) -> Iterator[tuple[str, list[forms.BoundField], list[forms.BoundField]]]:
        """Each column with its three fields and with those of its states."""
        for name, entry in self.shown.columns.items():
            own = [self[f"{kind}.{name}"] for kind in ("title", "format", "unit")]
            yield name, own, [self[f"value.{name}.{place}"] for place in range(len(entry.values))]

    def entry(self) -> TableEntry:
        """Only what differs from the design's own words."""
        given = self.cleaned_data
        columns = {name: self._column(name, entry) for name, entry in self.shown.columns.items()}
        return TableEntry(
            title=_changed(given["title"], self.derived.title),
            singular=_changed(given["singular"], self.derived.singular),
            names_row=() if set(given["names_row"]) == set(self.derived.names_row) else given["names_row"],
            columns={name: entry for name, entry in columns.items() if entry != ColumnEntry()},
        )

    def _column(self, name: str, shown: ColumnEntry) -> ColumnEntry:
        derived, given = self.derived.columns.get(name, ColumnEntry()), self.cleaned_data
        kind = given[f"format.{name}"]
        values = {value: given[f"value.{name}.{place}"] for place, value in enumerate(shown.values)}
        return ColumnEntry(
            title=_changed(given[f"title.{name}"], derived.title),
            format=None if kind == (derived.format or "text") else kind,
            unit=_changed(given[f"unit.{name}"], derived.unit),
            values={
                value: words
                for value, words in values.items()
                if words and words != derived.values.get(value)
            },
        )


def _changed(given: str, derived: str) -> str:
    return "" if given == derived else given
