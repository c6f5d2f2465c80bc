"""Text fields that suggest what there is by its title; the name behind it can be typed as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any

from django import forms
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from studio.services.browse import pickers
from studio.services.browse.pickers import Option, Options, title_of, value_of


class PickedText(forms.TextInput):
    """An input with a list of suggestions; its options are asked for once, when it is drawn or read."""

    def __init__(self, options: Options, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"autocomplete": "off", **(attrs or {})})
        self.ask = options

    @cached_property
    def options(self) -> list[Option]:
        """The suggestions."""
        return list(self.ask())

    def __deepcopy__(self, memo: dict[int, Any]) -> PickedText:
        copied: PickedText = super().__deepcopy__(memo)
        copied.__dict__.pop("options", None)
        return copied

    def format_value(self, value: Any) -> str | None:
        """A stored name by its title."""
        return None if value in (None, "") else title_of(self.options, str(value))

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """The input, and its suggestions below."""
        place = f"{(attrs or {}).get('id') or name}-options"
        field = super().render(name, value, {**(attrs or {}), "list": place}, renderer)
        items = format_html_join("", '<option value="{}"></option>', ((each.title,) for each in self.options))
        return format_html('{}<datalist id="{}">{}</datalist>', field, place, items)


class PickedField(forms.CharField):
    """A text that names something.

    Args:
        options: What is suggested.
        several: Whether names separated by commas are taken too.
    """

    def __init__(self, *, options: Options, several: bool = False, **more: Any) -> None:
        super().__init__(widget=PickedText(options), **more)
        self.several = several

    def to_python(self, value: Any) -> str:
        """The name behind a title, or what was typed."""
        return self.named(str(super().to_python(value)))

    def named(self, text: str) -> str:
        """What a text names: by its title, or by the name itself."""
        assert isinstance(self.widget, PickedText)
        if not text:
            return text
        name = value_of(self.widget.options, text)
        if name == text and self.several and "," in text:
            return ", ".join(value_of(self.widget.options, each.strip()) for each in text.split(","))
        return name


class PickedNumber(PickedField):
    """The same for what is named by a number."""

    def clean(self, value: Any) -> Any:
        """The number; None for nothing."""
        text = super().clean(value)
        if not text:
            return None
        if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text)):
            raise forms.ValidationError("Choose one that is suggested, or enter its number.", code="invalid")
        return int(text)


class EpisodesForm(forms.Form):
    """Which episodes statistics are about; the names of its fields may begin with a word: first_run.

    Args:
        offers: By field, what is suggested: the same for all forms of a page, so that it is asked for once.
    """

    def __init__(self, *args: Any, offers: Mapping[str, Options], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, options in offers.items():
            self.fields[name] = PickedField(
                options=options, label=name.capitalize(), required=False, max_length=200
            )

    @staticmethod
    def offers(
        ask: Callable[[], tuple[list[Option], list[Option]]] = pickers.agents_and_models,
    ) -> dict[str, Options]:
        """What there is now, each kind asked for when it is first needed.

        Args:
            ask: For agents and models.
        """
        players = cache(ask)
        return {
            "run": cache(pickers.rollout_runs),
            "environment": cache(pickers.environments),
            "agent": lambda: players()[0],
            "model": lambda: players()[1],
        }

    def add_prefix(self, field_name: str) -> str:
        """The field's name in an address."""
        return f"{self.prefix or ''}{field_name}"
