"""JSON in a text field: what cannot be read is told with line and column, and the text stays."""

from __future__ import annotations

import json
from typing import Any

from django import forms


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
        except RecursionError:
            raise forms.ValidationError("This JSON is nested too deeply to be read.") from None
