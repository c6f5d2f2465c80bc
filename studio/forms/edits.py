"""What a person changes in a part: its text or fields, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from django import forms

from studio.forms.cells import CellWords, as_stored
from studio.forms.json_text import JsonText
from studio.forms.long_text import LongText
from synthesis.documents.schema import Column, Table
from synthesis.documents.seed_data import Row
from synthesis.documents.tasks import Difficulty, TaskKind

LONGEST_REASON = 2_000
CODE: dict[str, Any] = {"class": "mono", "spellcheck": "false", "autocapitalize": "off", "data-source": "yes"}


class SourceText(LongText):
    """Text that is kept to the letter."""

    def __init__(self, *, rows: int, code: bool = True, language: str = "", **kwargs: Any) -> None:
        attributes = {"rows": rows, **(CODE if code else {})}
        if language:
            attributes["data-language"] = language
        super().__init__(strip=False, widget=forms.Textarea(attrs=attributes), **kwargs)


class EditForm(forms.Form):
    """The revision that was looked at, and why it is changed; parts add their fields."""

    revision = forms.IntegerField(widget=forms.HiddenInput)
    reason = LongText(
        label="Reason for the change",
        max_length=LONGEST_REASON,
        rows=2,
        help_text="Shown to the next reviewer and in the history.",
    )

    def content(self) -> Iterator[forms.BoundField]:
        """The part's own fields."""
        for name in self.fields:
            if name not in ("revision", "reason"):
                yield self[name]


class ScenarioForm(EditForm):
    """The application, its words and its clock."""

    title = forms.CharField(label="Title", max_length=120)
    category = forms.CharField(
        label="Category", max_length=80, help_text="The kind of business, in lower case."
    )
    description = SourceText(label="What it simulates", rows=10, code=False, max_length=8_000)
    licence = forms.CharField(label="Licence", max_length=80, help_text="An SPDX identifier.")
    clock = forms.CharField(
        label="Clock",
        help_text="The date and time at which every instance starts, for example 2026-03-11T08:30:00.",
    )


class PolicyForm(EditForm):
    """The rules an agent must follow."""

    text = SourceText(
        label="Policy",
        rows=20,
        code=False,
        required=False,
        help_text="Markdown. Empty: the environment has no policy.",
    )


class SchemaForm(EditForm):
    """The whole DDL."""

    sql = SourceText(
        label="schema.sql",
        rows=28,
        language="sql",
        help_text="CREATE TABLE and CREATE INDEX statements, in order.",
    )


class SourceForm(EditForm):
    """Python: all tools, or one verifier."""

    source = SourceText(label="Source", rows=32, language="python")


class InvariantsForm(EditForm):
    """What must hold before and after every call."""

    source = SourceText(
        label="invariants.py",
        rows=20,
        language="python",
        required=False,
        help_text="Functions name(db) -> bool, each with a docstring that says what must hold. Empty: none.",
    )


class TaskForm(EditForm):
    """One task."""

    instruction = SourceText(label="What the agent is asked", rows=5, code=False, max_length=4_000)
    kind = forms.ChoiceField(label="Kind", choices=[(kind, kind) for kind in get_args(TaskKind)])
    difficulty = forms.ChoiceField(
        label="Difficulty", choices=[(level, level) for level in get_args(Difficulty)]
    )
    min_calls = forms.IntegerField(label="Minimum number of calls", min_value=0, max_value=200)
    reference_solution = JsonText(
        label="Reference solution",
        required=False,
        widget=forms.Textarea(attrs={"rows": 10, **CODE}),
        help_text='Calls in order: [{"name": "return_item", "arguments": {"loan_id": 7}}].',
    )
    reference_answer = SourceText(
        label="Reference answer", rows=3, code=False, max_length=4_000, required=False
    )
    answer_facts = JsonText(
        label="Facts the answer must contain",
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, **CODE}),
        help_text='A list: [{"name": "total", "type": "money_cents", "value": 1250}]; where it matters also '
        '"unit": "days" or "direction": "to the guest".',
    )
    blocking = JsonText(
        label="What blocks the request",
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, **CODE}),
        help_text="Where it must be declined: the evidence of which a right answer names at least one, as "
        '[{"kind": "status", "text": "only pending refunds can be approved", "value": "approved"}]. '
        "Kinds: rule, limit, status, value.",
    )
    max_steps = forms.IntegerField(
        label="Step limit",
        required=False,
        min_value=1,
        max_value=1_000,
        help_text="Tool calls an agent may make; empty for half as many again as the minimum and 5, and at "
        "least 20.",
    )

    def values(self) -> dict[str, Any]:
        """The task's fields as its document takes them."""
        given = {field.name: self.cleaned_data[field.name] for field in self.content()}
        return {
            **given,
            "reference_solution": given["reference_solution"] or [],
            "answer_facts": given["answer_facts"] or [],
            "blocking": given["blocking"] or [],
        }

    @staticmethod
    def shown(values: dict[str, Any]) -> dict[str, Any]:
        """A task's stored fields as the form shows them."""
        names = ("reference_solution", "answer_facts", "blocking")
        return {**values, **{name: _lines(values.get(name, [])) for name in names}}


class RowForm(EditForm):
    """One row, column by column: a value, nothing, or left out so that the default applies.

    Args:
        table: Its table.
        row: What it holds now.
        taken_away: Whether it is removed.
        words: How each column that is not generated is written; as it is stored when None.
    """

    def __init__(
        self,
        *args: Any,
        table: Table,
        row: Row | None = None,
        taken_away: bool = False,
        words: Sequence[CellWords] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.columns = [column for column in table.columns if not column.generated]
        plain = words is not None
        self.words = words if words is not None else [as_stored(column) for column in self.columns]
        self.row = row or {}
        self.taken_away = taken_away
        for number, (column, cell) in enumerate(zip(self.columns, self.words, strict=True)):
            here = self.row.get(column.name)
            state = "value" if here is not None else ("null" if column.name in self.row else "default")
            text = cell.written(here)
            self.fields[f"as.{number}"] = forms.ChoiceField(
                label=f"{cell.title} is",
                choices=_states(column, plain=plain),
                initial=state,
                required=False,
                widget=forms.Select(attrs={"aria-label": f"{cell.title} is"}),
            )
            self.fields[f"value.{number}"] = SourceText(
                label=cell.title,
                rows=min(8, max(1, text.count("\n") + len(text) // 80 + 1)),
                code=False,
                required=False,
                initial=text,
            )
        self.order_fields([name for name in self.fields if name != "reason"])

    def cells(self) -> Iterator[tuple[CellWords, forms.BoundField, forms.BoundField]]:
        """Each column's words with how it is filled and its value."""
        for number, cell in enumerate(self.words):
            yield cell, self[f"as.{number}"], self[f"value.{number}"]

    def clean(self) -> dict[str, Any]:
        """Texts as the column's type has them."""
        cleaned = super().clean() or self.cleaned_data
        self.new_row: Row = {}
        if self.taken_away:
            return cleaned
        for number, (column, cell) in enumerate(zip(self.columns, self.words, strict=True)):
            state = cleaned.get(f"as.{number}")
            if state == "null":
                self.new_row[column.name] = None
            elif state == "value":
                try:
                    text = cleaned.get(f"value.{number}", "")
                    self.new_row[column.name] = cell.read(text, column, self.row.get(column.name))
                except ValueError as error:
                    self.add_error(f"value.{number}", str(error))
        return cleaned


def _states(column: Column, *, plain: bool) -> list[tuple[str, str]]:
    if plain:
        return [("value", "this"), ("null", "nothing"), ("default", "left to the world's default")]
    default = f"left out (default {column.default})" if column.default is not None else "left out"
    return [("value", "the value"), ("null", "NULL"), ("default", default)]


def _lines(values: list[Any]) -> str:
    """A list as JSON with one item per line."""
    if not values:
        return "[]"
    items = ",\n  ".join(json.dumps(value, ensure_ascii=False) for value in values)
    return f"[\n  {items}\n]"
