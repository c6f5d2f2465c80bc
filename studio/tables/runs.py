"""Runs as a table."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.models import Run
from studio.services.environments.trade_words import trade_word
from studio.tables.columns import AgoColumn, EnvironmentColumn, PersonColumn
from studio.templatetags.plain import run_title
from studio.templatetags.shell import shows_code
from studio.templatetags.states import state_pill


class RunTable(tables.Table):
    """One row per run."""

    title = tables.Column(verbose_name="Run", linkify=True, attrs={"td": {"class": "name"}})
    kind = tables.Column()
    state = tables.Column(attrs={"td": {"class": "fit"}})
    progress = tables.Column(accessor="done", verbose_name="Progress", attrs={"td": {"class": "fit"}})
    environment = EnvironmentColumn(linkify=True)
    requested_by = PersonColumn(verbose_name="Requested by")
    created_at = AgoColumn(verbose_name="Requested")

    class Meta:
        """Newest first."""

        model = Run
        fields = ("title", "kind", "state", "progress", "environment", "requested_by", "created_at")
        order_by = "-created_at"
        template_name = "tables/table.html"
        empty_text = ""

    def render_title(self, record: Any) -> SafeString:
        """The title and, of a failed run, its error."""
        title = run_title(record, expert=shows_code(self.request))
        if record.error:
            return format_html(
                '<strong>{}</strong><br><span class="bad small">{}</span>', title, record.error[:160]
            )
        return format_html("<strong>{}</strong>", title)

    def render_kind(self, record: Any) -> str:
        """What is done, in everybody's words outside the expert view."""
        kind = str(record.get_kind_display())
        return kind if shows_code(self.request) else trade_word(kind)

    def render_state(self, record: Any) -> SafeString:
        """The state; a request to stop is not yet a stop."""
        if record.cancel_requested:
            return state_pill("cancelling")
        if record.paused_at and not record.is_over:
            return state_pill("paused")
        return state_pill(record.state)

    def render_progress(self, record: Any) -> SafeString:
        """Steps done of steps known."""
        if not record.total:
            return format_html('<span class="muted">{}</span>', "–")
        return format_html("{} of {}", record.done, record.total)
