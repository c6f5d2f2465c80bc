"""One call of a tool: as a form made from its schema, as JSON, and the task that might accept the result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from django import forms
from pydantic import JsonValue

from studio.forms.amounts import CentsField
from studio.forms.argument_fields import DayField, DayStyle, RowField
from studio.forms.arguments import Node, as_arguments, tree
from studio.forms.json_text import JsonText
from studio.services.environments.dictionaries import choice_words
from synthesis.documents.tools import Tool


class ArgumentWords(Protocol):
    """What a form needs to speak of arguments as people do."""

    def argument_title(self, name: str) -> str:
        """What an argument is called."""

    def in_cents(self, name: str, /) -> bool:
        """Whether an argument is money in whole cents."""

    def without_code(self, text: str) -> str:
        """A text that agents read, with the names of the code in it as words."""

    def rows_named_by(self, name: str, /) -> list[tuple[Any, str]]:
        """Key and name of the rows that an argument may mean; empty for other arguments."""

    def day_style(self, name: str, /) -> DayStyle | None:
        """How the world writes the days or moments that an argument means; None for other arguments."""

    def today(self, *, with_time: bool) -> str:
        """A sentence that says which day it is in the world."""


class ObjectForm(forms.Form):
    """An object field by field, as its JSON schema describes it.

    Args:
        data: The fields that were sent, or None.
        schema: What the object consists of.
        values: What it holds to begin with.
        words: Gives titles to its fields, and the rows that they may name.
        prefix: Of the names of the fields, where a page has several such forms.
    """

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        schema: Mapping[str, Any],
        values: Mapping[str, Any] | None = None,
        words: ArgumentWords | None = None,
        prefix: str | None = None,
    ) -> None:
        super().__init__(data, prefix=prefix)
        self.pickers: dict[str, list[str]] = {}
        given = data
        if data is not None and prefix:
            begins = f"{prefix}-"
            given = {
                name.removeprefix(begins): text for name, text in data.items() if name.startswith(begins)
            }
        self.nodes = tree(schema, values=values, given=given)
        for top in self.nodes:
            if words is not None:
                _name_groups(top, words)
            for leaf in top.leaves():
                assert leaf.control is not None
                leaf.control.initial = leaf.initial
                self.fields[leaf.path] = leaf.control
                if words is not None:
                    self._put_in_words(leaf.path, leaf.label, words)

    def _put_in_words(self, path: str, name: str, words: ArgumentWords) -> None:
        control = self.fields[path]
        described = DayStyle.described(str(control.help_text))
        if isinstance(control, forms.IntegerField) and words.in_cents(name):
            self.fields[path] = control = CentsField(**_like(control))
        control.label = words.argument_title(name)
        control.help_text = words.without_code(str(control.help_text))
        if isinstance(control, forms.TypedChoiceField):
            choices: Any = control.choices
            control.choices = [(code, choice_words(text)) for code, text in choices]
        if type(control) is forms.CharField:
            self._choose_day(path, described or words.day_style(name), words)
        if type(control) in (forms.CharField, forms.IntegerField):
            self._choose_row(path, name, words)

    def _choose_day(self, path: str, style: DayStyle | None, words: ArgumentWords) -> None:
        """Let the browser help with days and moments; a value that is written otherwise stays a text."""
        control = self.fields[path]
        if style is None or not style.fits(self._held(path)):
            return
        about = f"{DayStyle.undescribed(str(control.help_text))} {words.today(with_time=bool(style.between))}"
        self.fields[path] = DayField(style=style, **_like(control) | {"help_text": about.strip()})

    def _choose_row(self, path: str, name: str, words: ArgumentWords) -> None:
        control = self.fields[path]
        if rows := words.rows_named_by(_of_one(name)):
            whole = isinstance(control, forms.IntegerField)
            about = f"{control.help_text} Begin to type a name{', or write a number' if whole else ''}."
            chosen = RowField(rows=rows, whole=whole, **_like(control) | {"help_text": about.strip()})
            place = f"{self.add_prefix(path)}.rows"
            self.pickers[place] = chosen.suggestions
            chosen.widget.attrs["list"] = place
            self.fields[path] = chosen

    def _held(self, path: str) -> str:
        held = self.data.get(self.add_prefix(path)) if self.is_bound else self.fields[path].initial
        return "" if held is None else str(held)

    def arguments(self) -> dict[str, JsonValue]:
        """What was filled in; an empty optional field is left out."""
        return as_arguments(self.nodes, self.cleaned_data)

    def summary(self) -> str:
        """What its fields hold, in one line."""
        paths = [leaf.path for node in self.nodes for leaf in node.leaves()]
        return ", ".join(filter(None, map(self._spoken, paths)))

    def _spoken(self, path: str) -> str:
        control, held = self.fields[path], self[path].value()
        if isinstance(control, forms.TypedChoiceField):
            choices: Any = control.choices
            return str(dict(choices).get(held, "")) if held else ""
        return "" if held is None else str(held)

    def readable(self) -> dict[str, JsonValue]:
        """What can be read so far, while somebody is still typing."""
        self.is_valid()
        return as_arguments(self.nodes, self.cleaned_data)


def _like(control: forms.Field) -> dict[str, Any]:
    """What a field of another kind takes over."""
    names = ("required", "initial", "label", "help_text")
    return {name: getattr(control, name) for name in names}


def _of_one(name: str) -> str:
    """The name of one item by that of its list: "slot_ids 2" is a slot_id."""
    owner, _, number = name.rpartition(" ")
    return owner.removesuffix("s") if number.isdecimal() and owner else name


def _name_groups(node: Node, words: ArgumentWords) -> None:
    name, _, number = node.label.rpartition(" ")
    counted = number.isdecimal() and bool(name)
    node.title = number if counted else words.argument_title(node.label)
    for child in node.children:
        _name_groups(child, words)


class CallForm(ObjectForm):
    """The arguments of one call of a tool."""

    def __init__(self, data: Mapping[str, str] | None = None, *, tool: Tool, **more: Any) -> None:
        super().__init__(data, schema=tool.input_schema, **more)


class RawForm(forms.Form):
    """The arguments of one call as one JSON object."""

    raw = JsonText(
        label="Arguments as JSON",
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono", "spellcheck": "false"}),
    )

    def clean_raw(self) -> dict[str, JsonValue]:
        """An object, and nothing else."""
        value = self.cleaned_data["raw"]
        if not isinstance(value, dict):
            raise forms.ValidationError('Write an object, for example {"limit": 5}.')
        return value

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> RawForm:
        """The editor with these arguments in it."""
        return cls(initial={"raw": json.dumps(arguments, indent=2, ensure_ascii=False)})


class AnswerForm(forms.Form):
    """A task and the answer an agent would give."""

    task = forms.ChoiceField(label="Task")
    answer = forms.CharField(label="Final answer", required=False, widget=forms.Textarea(attrs={"rows": 2}))

    def __init__(self, *args: Any, tasks: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["task"].choices = tasks  # type: ignore[attr-defined]
