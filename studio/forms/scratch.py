"""A tool's JSON schema as a form: enum as a select, required marked, nested values as JSON."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from pydantic import JsonValue

from synthesis.documents.tools import Tool

TYPES: dict[str, type[forms.Field]] = {
    "integer": forms.IntegerField,
    "number": forms.FloatField,
    "string": forms.CharField,
}
PREFIX = "arg."


class JsonText(forms.CharField):
    """JSON that says line and column where it cannot be read, and keeps the text."""

    widget = forms.Textarea

    def clean(self, value: Any) -> Any:
        """The value behind the text; None for no text."""
        text = super().clean(value)
        if not text.strip():
            return None
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise forms.ValidationError(
                f"This is no JSON: {error.msg} at line {error.lineno}, column {error.colno}."
            ) from error


class CallForm(forms.Form):
    """The arguments of one call, field by field."""

    def __init__(self, *args: Any, tool: Tool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        properties = tool.input_schema.get("properties")
        required = tool.input_schema.get("required")
        names = required if isinstance(required, list) else []
        for name, schema in (properties if isinstance(properties, dict) else {}).items():
            self.fields[PREFIX + name] = _field(name, schema, required=name in names)

    def arguments(self) -> dict[str, JsonValue]:
        """What was filled in; an empty optional field is left out."""
        found = {name.removeprefix(PREFIX): value for name, value in self.cleaned_data.items()}
        return {name: value for name, value in found.items() if value not in (None, "")}


class RawForm(forms.Form):
    """The arguments of one call as one JSON object."""

    raw = JsonText(
        label="Arguments as JSON",
        widget=forms.Textarea(attrs={"rows": 5, "class": "mono", "spellcheck": "false"}),
    )

    def clean_raw(self) -> dict[str, JsonValue]:
        """An object, and nothing else."""
        value = self.cleaned_data["raw"]
        if not isinstance(value, dict):
            raise forms.ValidationError('Write an object, for example {"limit": 5}.')
        return value


class AnswerForm(forms.Form):
    """A task and the answer an agent would give."""

    task = forms.ChoiceField(label="Task")
    answer = forms.CharField(label="Final answer", required=False, widget=forms.Textarea(attrs={"rows": 2}))

    def __init__(self, *args: Any, tasks: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["task"].choices = [(name, name) for name in tasks]  # type: ignore[attr-defined]


def _field(name: str, schema: Any, *, required: bool) -> forms.Field:
    schema = schema if isinstance(schema, dict) else {}
    help_text = str(schema.get("description", ""))
    common: dict[str, Any] = {"label": name, "required": required, "help_text": help_text}
    options = [option for option in schema.get("anyOf", [schema]) if option.get("type") != "null"]
    kind = options[0] if len(options) == 1 else {}
    if "enum" in kind:
        choices = [("", "–"), *[(json.dumps(value), str(value)) for value in kind["enum"]]]
        return forms.TypedChoiceField(choices=choices, coerce=json.loads, empty_value=None, **common)
    if kind.get("type") == "boolean":
        choices = [("", "–"), ("true", "true"), ("false", "false")]
        return forms.TypedChoiceField(choices=choices, coerce=json.loads, empty_value=None, **common)
    if kind.get("type") in TYPES:
        return TYPES[kind["type"]](**common)
    return JsonText(
        **common, widget=forms.Textarea(attrs={"rows": 3, "class": "mono", "spellcheck": "false"})
    )
