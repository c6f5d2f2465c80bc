"""Runs of judgements as a table."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.tables.columns import AgoColumn, PersonColumn
from studio.tables.runs import RunTable

NUMBER = {"td": {"class": "number"}, "th": {"class": "number"}}


class JudgingTable(RunTable):
    """One row per run of judgements, with its figures."""

    title = tables.Column(
        verbose_name="Judge",
        linkify=("judging_run", [tables.A("pk")]),
        attrs={"td": {"class": "name"}},
    )
    agreement = tables.Column(
        accessor="result", verbose_name="Agreement", orderable=False, default="–", attrs=NUMBER
    )
    kappa = tables.Column(accessor="result", verbose_name="Kappa", orderable=False, default="–", attrs=NUMBER)
    disputed = tables.Column(
        accessor="result", verbose_name="Disputed", orderable=False, default="–", attrs=NUMBER
    )
    requested_by = PersonColumn(verbose_name="Requested by")
    created_at = AgoColumn(verbose_name="Requested")

    class Meta(RunTable.Meta):
        """Newest first."""

        exclude = ("kind", "environment")
        sequence = (
            "title",
            "state",
            "progress",
            "agreement",
            "kappa",
            "disputed",
            "requested_by",
            "created_at",
        )

    def render_title(self, record: Any) -> SafeString:
        """The title and who judged, or what went wrong."""
        judge = (record.result or {}).get("judge", "")
        return format_html(
            '<strong>{}</strong><br><span class="muted small">{}</span>',
            record.title,
            record.error[:160] or judge,
        )

    def render_agreement(self, value: Any) -> str:
        """Share of pairs of judgements that agree."""
        return f"{100 * value['reliability']['pairwise_agreement']['value']:.1f} %"

    def render_kappa(self, value: Any) -> str:
        """Agreement beyond chance."""
        return f"{value['reliability']['fleiss_kappa']['value']:.3f}"

    def render_disputed(self, value: Any) -> str:
        """Trajectories a person should see."""
        return f"{value['disagreements']:,}"
