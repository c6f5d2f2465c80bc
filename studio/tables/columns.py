"""Columns that several tables share."""

from __future__ import annotations

from typing import Any, ClassVar

import django_tables2 as tables
from django.contrib.humanize.templatetags.humanize import intcomma, naturaltime
from django.template.defaultfilters import date
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from studio.templatetags.shell import person
from studio.templatetags.states import state


class StateColumn(tables.Column):
    """A state as sign and word."""

    def render(self, record: Any, bound_column: Any) -> SafeString:
        """The state's pill; the raw value, not its display name, chooses the look."""
        return state(getattr(record, bound_column.accessor))


class NumberColumn(tables.Column):
    """A count, aligned at its end."""

    attrs: ClassVar = {"td": {"class": "number"}, "th": {"class": "number"}}

    def render(self, value: Any) -> str:
        """With separators between thousands."""
        return intcomma(value)


class AgoColumn(tables.Column):
    """A moment as a distance from now, with the exact time on hover."""

    attrs: ClassVar = {"td": {"class": "fit"}}

    def render(self, value: Any) -> SafeString:
        """The distance."""
        local = localtime(value)
        return format_html(
            '<time datetime="{}" title="{}">{}</time>',
            value.isoformat(),
            date(local, "j M Y, H:i"),
            naturaltime(value),
        )


class PersonColumn(tables.Column):
    """A person as they are called."""

    def render(self, value: Any) -> str:
        """The full name, or the sign-in name."""
        return str(person(value))
