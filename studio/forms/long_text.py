"""Texts of many lines: counted as people see them, and refused with the limit instead of cut."""

from __future__ import annotations

from typing import Any

from django import forms


class LongText(forms.CharField):
    """A text whose line ends count once, whatever the browser sends for them."""

    def __init__(self, *, rows: int = 3, **kwargs: Any) -> None:
        super().__init__(**{"widget": forms.Textarea(attrs={"rows": rows}), **kwargs})

    def to_python(self, value: Any) -> str:
        """The text with single line feeds."""
        return str(super().to_python(value)).replace("\r\n", "\n").replace("\r", "\n")
