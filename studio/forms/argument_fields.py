"""Fields of arguments that people choose and not type: a row by its name, a day, a moment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

_WRITTEN = re.compile(r",?(?: written| as)? ?YYYY-MM-DD(?:(?P<between>[T ])HH:MM(?P<seconds>:SS)?)?")
"""Where a description says how a day or a moment is written."""
_STORED = re.compile(r"\d{4}-\d\d-\d\d(?:(?P<between>[T ])\d\d:\d\d(?P<seconds>:\d\d)?)?")


@dataclass(frozen=True)
class DayStyle:
    """How a day or a moment is written for a tool.

    Attributes:
        between: What is between day and time; "" for a day alone.
        seconds: Whether the time has seconds.
    """

    between: str = ""
    seconds: bool = False

    @classmethod
    def described(cls, text: str) -> DayStyle | None:
        """What a description asks for: "By when, YYYY-MM-DD."; None where it says nothing of it."""
        return cls._read(_WRITTEN.search(text))

    @classmethod
    def stored(cls, value: object) -> DayStyle | None:
        """How a value is written; None where it is neither a day nor a moment."""
        return cls._read(_STORED.fullmatch(value)) if isinstance(value, str) else None

    @classmethod
    def _read(cls, match: re.Match[str] | None) -> DayStyle | None:
        return None if match is None else cls(match["between"] or "", match["seconds"] is not None)

    @staticmethod
    def undescribed(text: str) -> str:
        """A description without how the day is written: nobody types it."""
        return _WRITTEN.sub("", text)

    def shown(self, value: str) -> str:
        """A value as the browser's field takes it."""
        return value.replace(" ", "T", 1) if self.between else value

    def written(self, text: str) -> str:
        """What the browser sent, as the tool takes it: browsers leave out seconds that are zero."""
        if not self.between or "T" not in text:
            return text
        day, _, time = text.partition("T")
        zero = ":00" if self.seconds and time.count(":") == 1 else ""
        return f"{day}{self.between}{time}{zero}"

    def fits(self, text: str) -> bool:
        """Whether a value, or what the browser sent of it, is written like this; others stay as they are."""
        return not text or DayStyle.stored(self.written(text)) == self


class DayField(forms.CharField):
    """A day or a moment that the browser helps to choose."""

    def __init__(self, *, style: DayStyle, **kwargs: Any) -> None:
        kind = "datetime-local" if style.between else "date"
        super().__init__(widget=forms.TextInput(attrs={"type": kind}), **kwargs)
        self.style = style

    def prepare_value(self, value: Any) -> Any:
        """A stored value as the browser's field takes it."""
        return self.style.shown(value) if isinstance(value, str) else value

    def clean(self, value: Any) -> str:
        """The text that the tool takes."""
        return self.style.written(super().clean(value))


class RowField(forms.CharField):
    """The key of a row, which is shown and suggested with the name of its row: "Clara Thornwick (12)".

    Args:
        rows: Keys with the names of their rows.
        whole: Whether keys are whole numbers; others can be typed, too, to see what the tool says to them.
    """

    def __init__(self, *, rows: Sequence[tuple[Any, str]], whole: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.whole = whole
        self.suggestions = [f"{name} ({key})" for key, name in rows]
        self._shown = {str(key): shown for (key, _), shown in zip(rows, self.suggestions, strict=True)}
        counts = Counter(name for _, name in rows)
        self._keys = {name: key for key, name in rows if counts[name] == 1}
        self._keys |= {shown: key for (key, _), shown in zip(rows, self.suggestions, strict=True)}

    def prepare_value(self, value: Any) -> Any:
        """A key with the name of its row; what somebody typed otherwise stays as it is."""
        return self._shown.get(str(value), value)

    def clean(self, value: Any) -> Any:
        """The key; None for nothing."""
        text = super().clean(value)
        if not text:
            return None
        if text in self._keys:
            return self._keys[text]
        if not self.whole:
            return text
        try:
            return int(text)
        except ValueError:
            raise forms.ValidationError(
                f"Nothing is called {text[:80]!r}. Choose one of the suggestions, or write a number.",
                code="invalid",
            ) from None
