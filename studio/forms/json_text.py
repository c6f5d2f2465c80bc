"""JSON in a text field: what cannot be read is told with line and column, and the text stays."""

from __future__ import annotations

import json
from typing import Any

from django import forms

from studio.services.storable_text import UnstorableText, require_storable_value


class JsonText(forms.CharField):
    """JSON that says line and column where it cannot be read, and keeps the text."""

    widget = forms.Textarea

    def clean(self, value: Any) -> Any:
        """The value behind the text; None for no text."""
        text = super().clean(value)
        if not text.strip():
            return None
        try:
            result = json.loads(text)
            require_storable_value(result)
        except json.JSONDecodeError as error:
            raise forms.ValidationError(
                f"This is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}."
            ) from error
        except RecursionError:
            raise forms.ValidationError("This JSON is nested too deeply.") from None
        except UnstorableText as error:
            raise forms.ValidationError(str(error)) from None
        return result
