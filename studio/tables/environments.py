"""The catalogue as a table."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.models import EnvironmentRecord
from studio.tables.columns import AgoColumn, NumberColumn, StateColumn
from studio.templatetags.icons import icon


class EnvironmentTable(tables.Table):
    """One row per environment."""

    title = tables.Column(verbose_name="Environment", linkify=True, attrs={"td": {"class": "name"}})
    state = StateColumn(attrs={"td": {"class": "fit"}})
    revision = NumberColumn(accessor="current__number", verbose_name="Revision")
    tables_ = NumberColumn(accessor="current__tables", verbose_name="Tables")
    rows_ = NumberColumn(accessor="current__rows", verbose_name="Rows")
    tools = NumberColumn(accessor="current__tools", verbose_name="Tools")
    tasks = NumberColumn(accessor="current__tasks", verbose_name="Tasks")
    checks = tables.Column(accessor="current", verbose_name="Checks", order_by=("-current__checks_failed",))
    open_flags = NumberColumn(verbose_name="Flags")
    updated_at = AgoColumn(verbose_name="Activity")

    class Meta:
        """Newest activity first."""

        model = EnvironmentRecord
        fields = ("title", "state")
        sequence = (
            "title", "state", "checks", "revision", "tables_", "rows_", "tools", "tasks",
            "open_flags", "updated_at",
        )  # fmt: skip
        order_by = "-updated_at"
        template_name = "tables/table.html"
        empty_text = ""

    def render_title(self, record: Any) -> SafeString:
        """The title with the kind of business beneath."""
        return format_html(
            '<strong>{}</strong><br><span class="muted small">{}</span>', record.title, record.category
        )

    def render_checks(self, value: Any) -> SafeString:
        """How many hold, or how many do not."""
        if not value.checks:
            return format_html('<span class="muted">{}</span>', "not run")
        if value.checks_failed:
            return format_html(
                '<span class="bad">{} {} of {} fail</span>', icon("close"), value.checks_failed, value.checks
            )
        return format_html('<span class="good">{} {} hold</span>', icon("check"), value.checks)
