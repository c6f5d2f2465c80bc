"""Columns that several tables share."""

from __future__ import annotations

from typing import Any, ClassVar

import django_tables2 as tables
from django.contrib.humanize.templatetags.humanize import intcomma, naturaltime
from django.template.defaultfilters import date
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from studio.templatetags.plain import called
from studio.templatetags.shell import person, shows_code
from studio.templatetags.states import state_pill


class StateColumn(tables.Column):
    """A state as sign and word."""

    def render(self, record: Any, bound_column: Any, table: Any) -> SafeString:
        """The state's pill; the raw value, not its display name, chooses the look."""
        return state_pill(getattr(record, bound_column.accessor), expert=shows_code(table.request))


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


class EnvironmentColumn(tables.Column):
    """An environment by its title with the name at the pointer; in the expert view by its name."""

    def render(self, value: Any, table: Any) -> SafeString:
        """The title or the name."""
        return called(value.title, value.name, expert=shows_code(table.request))


class PersonColumn(tables.Column):
    """A person as they are called."""

    def render(self, value: Any) -> str:
        """The full name, or the sign-in name."""
        return str(person(value))
