"""One call of a tool: as a form made from its schema, as JSON, and the task that might accept the result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from pydantic import JsonValue

from studio.forms.arguments import as_arguments, tree
from studio.forms.json_text import JsonText
from synthesis.documents.tools import Tool


class CallForm(forms.Form):
    """The arguments of one call, field by field.

    Args:
        data: The fields that were sent, or None.
        tool: Whose arguments.
        values: Arguments to begin with.
    """

    def __init__(
        self, data: Mapping[str, str] | None = None, *, tool: Tool, values: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(data)
        self.nodes = tree(tool.input_schema, values=values, given=data)
        for top in self.nodes:
            for leaf in top.leaves():
                assert leaf.control is not None
                leaf.control.initial = leaf.initial
                self.fields[leaf.path] = leaf.control

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

    def __init__(self, *args: Any, tasks: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["task"].choices = [(name, name) for name in tasks]  # type: ignore[attr-defined]
