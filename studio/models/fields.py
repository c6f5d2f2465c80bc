"""Columns for text that machines wrote: nothing in it may break the database or lose its order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    AnyText = models.TextField[Any, Any]
else:
    AnyText = models.TextField

NUL_SHOWN = "\u2400"
"""What stands for the character NUL, which PostgreSQL cannot store in text."""


def storable(text: str) -> str:
    """The text with NUL and lone surrogates shown by other characters, so that every database takes it."""
    return text.replace("\x00", NUL_SHOWN).encode("utf-8", "backslashreplace").decode("utf-8")


class WholeTextField(models.TextField):  # type: ignore[type-arg]
    """Text of any length and content."""

    def get_prep_value(self, value: Any) -> Any:
        """The value as both databases can hold it."""
        value = super().get_prep_value(value)
        return storable(value) if isinstance(value, str) else value


class PayloadField(AnyText):
    """Plain JSON values kept as text: unlike jsonb, the order of keys and every character survive."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any
    _pyi_lookup_exact_type: Any

    def from_db_value(self, value: str | None, *_: Any) -> Any:
        """The values behind the stored text."""
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        """The value itself: it is only text within the database."""
        return value

    def get_prep_value(self, value: Any) -> Any:
        """The text that is stored; all but ASCII is escaped."""
        return None if value is None else json.dumps(value, separators=(",", ":"))

    def value_to_string(self, obj: models.Model) -> str:
        """The text for fixtures and the change log."""
        return json.dumps(self.value_from_object(obj))
