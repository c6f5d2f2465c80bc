"""The catalogue as a table."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.models import EnvironmentRecord
from studio.services.environments.quality_gates import needed_reviewers
from studio.services.environments.trade_words import trade_word
from studio.tables.columns import AgoColumn, NumberColumn, StateColumn
from studio.templatetags.icons import icon
from studio.templatetags.shell import shows_code

CHOSEN_ROWS = "chosen"
"""Parameter of an address that names the rows whose box is ticked."""


class EnvironmentTable(tables.Table):
    """One row per environment."""

    choose = tables.Column(
        accessor="name", verbose_name="Choose", orderable=False, attrs={"td": {"class": "fit choose"}}
    )
    title = tables.Column(verbose_name="Environment", linkify=True, attrs={"td": {"class": "name"}})
    state = StateColumn(attrs={"td": {"class": "fit"}})
    revision = NumberColumn(accessor="current__number", verbose_name="Revision")
    tables_ = NumberColumn(accessor="current__tables", verbose_name="Tables")
    rows_ = NumberColumn(accessor="current__rows", verbose_name="Rows")
    tools = NumberColumn(accessor="current__tools", verbose_name="Tools")
    tasks = NumberColumn(accessor="current__tasks", verbose_name="Tasks")
    checks = tables.Column(accessor="current", verbose_name="Checks", order_by=("-current__checks_failed",))
    reviewed = tables.Column(verbose_name="Reviews", attrs={"td": {"class": "fit"}})
    open_flags = NumberColumn(verbose_name="Flags")
    lines = NumberColumn(accessor="current__code_lines", verbose_name="Lines of code")
    author_kind = tables.Column(verbose_name="Author")
    risk = tables.Column(attrs={"td": {"class": "number"}, "th": {"class": "number"}})
    created_at = AgoColumn(verbose_name="Created")
    updated_at = AgoColumn(verbose_name="Activity")

    class Meta:
        """Newest activity first."""

        model = EnvironmentRecord
        fields = ("title", "state")
        sequence = (
            "choose", "title", "state", "revision", "checks", "reviewed", "open_flags", "tables_", "rows_",
            "tools", "tasks", "lines", "author_kind", "risk", "created_at", "updated_at",
        )  # fmt: skip
        order_by = "-updated_at"
        template_name = "tables/table.html"
        empty_text = ""

    def render_choose(self, value: str, record: Any) -> SafeString:
        """A box that chooses the row for an act on the chosen ones."""
        checked = value in self.request.GET.getlist(CHOSEN_ROWS)
        return format_html(
            '<label><span class="visually-hidden">Choose {}</span><input type="checkbox" '
            'class="form-check-input" form="act-on-chosen" name="{}" value="{}"{}></label>',
            record.title,
            CHOSEN_ROWS,
            value,
            " checked" if checked else "",
        )

    def render_title(self, record: Any) -> SafeString:
        """The title with the kind of business beneath."""
        return format_html(
            '<strong>{}</strong><br><span class="muted small">{}</span>', record.title, record.category
        )

    def render_checks(self, value: Any) -> SafeString:
        """How many hold, or how many do not."""
        if not value.checks:
            return format_html('<span class="muted">{}</span>', "not proved")
        if value.checks_failed:
            return format_html(
                '<span class="bad">{} {} of {} fail</span>', icon("close"), value.checks_failed, value.checks
            )
        return format_html('<span class="good">{} {} pass</span>', icon("check"), value.checks)

    def render_reviewed(self, value: int) -> str:
        """Of how many that are needed."""
        return f"{value} of {needed_reviewers()}"

    def render_open_flags(self, value: int, record: Any) -> SafeString | str:
        """How many are open, and how many of them block approval."""
        if not (blocking := getattr(record, "blocking", 0)):
            return intcomma(value)
        return format_html(
            '{} <span class="bad nowrap">{} {} block{}</span>',
            intcomma(value),
            icon("warn"),
            blocking,
            "s" if blocking == 1 else "",
        )

    def render_author_kind(self, record: Any) -> str:
        """Who made it, in everybody's words outside the expert view."""
        author = str(record.get_author_kind_display())
        return author if shows_code(self.request) else trade_word(author)

    def render_risk(self, value: float) -> str:
        """As the queue weighs it."""
        return f"{value:g}"


CHOSEN = ("state", "revision", "checks", "reviewed", "open_flags", "tables_", "tools", "tasks", "updated_at")
"""Columns shown beside the title until somebody chooses others."""

EXPORTED: dict[str, tuple[tuple[str, str], ...]] = {
    "title": (("name", "name"), ("title", "title"), ("category", "category")),
    "state": (("state", "state"),),
    "revision": (("revision", "current.number"), ("fingerprint", "current.fingerprint")),
    "checks": (("checks_passed", "current.checks_passed"), ("checks_failed", "current.checks_failed")),
    "reviewed": (("reviews", "reviewed"),),
    "open_flags": (("open_flags", "open_flags"), ("blocking_flags", "blocking")),
    "tables_": (("tables", "current.tables"),),
    "rows_": (("rows", "current.rows"),),
    "tools": (("tools", "current.tools"),),
    "tasks": (("tasks", "current.tasks"),),
    "lines": (("code_lines", "current.code_lines"),),
    "author_kind": (("made_by", "author_kind"),),
    "risk": (("risk", "risk"),),
    "created_at": (("created_at", "created_at"),),
    "updated_at": (("updated_at", "updated_at"),),
}
"""What each column is in a file: names of its fields and where the record has them."""
