"""One call of a tool: as a form made from its schema, as JSON, and the task that might accept the result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from django import forms
from pydantic import JsonValue

from studio.forms.arguments import as_arguments, tree
from studio.forms.json_text import JsonText
from synthesis.documents.tools import Tool


class ArgumentWords(Protocol):
    """What a form needs to speak of arguments as people do."""

    def argument_title(self, name: str) -> str:
        """What an argument is called."""

    def without_code(self, text: str) -> str:
        """A text that agents read, with the names of the code in it as words."""

    def rows_named_by(self, name: str) -> list[tuple[Any, str]]:
        """Key and name of the rows that an argument may mean; empty for other arguments."""


class CallForm(forms.Form):
    """The arguments of one call, field by field.

    Args:
        data: The fields that were sent, or None.
        tool: Whose arguments.
        values: Arguments to begin with.
        words: Gives titles to arguments, and the rows that they may name.
    """

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        tool: Tool,
        values: Mapping[str, Any] | None = None,
        words: ArgumentWords | None = None,
    ) -> None:
        super().__init__(data)
        self.pickers: dict[str, list[tuple[Any, str]]] = {}
        self.nodes = tree(tool.input_schema, values=values, given=data)
        for top in self.nodes:
            for leaf in top.leaves():
                assert leaf.control is not None
                leaf.control.initial = leaf.initial
                self.fields[leaf.path] = leaf.control
                if words is not None:
                    self._put_in_words(leaf.path, leaf.label, words)

    def _put_in_words(self, path: str, name: str, words: ArgumentWords) -> None:
        control = self.fields[path]
        control.label = words.argument_title(name)
        control.help_text = words.without_code(str(control.help_text))
        if rows := words.rows_named_by(name):
            self.pickers[f"{path}.rows"] = rows
            control.widget.attrs["list"] = f"{path}.rows"

    def arguments(self) -> dict[str, JsonValue]:
        """What was filled in; an empty optional field is left out."""
        return as_arguments(self.nodes, self.cleaned_data)

    def readable(self) -> dict[str, JsonValue]:
        """What can be read so far, while somebody is still typing."""
        self.is_valid()
        return as_arguments(self.nodes, self.cleaned_data)


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
