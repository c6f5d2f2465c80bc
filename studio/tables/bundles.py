"""Bundles as a table."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.template.defaultfilters import filesizeformat
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.models import BundleCollection, BundleRecord
from studio.services.exports.format_words import format_meaning, format_title
from studio.tables.columns import AgoColumn, EnvironmentColumn, NumberColumn, PersonColumn
from studio.templatetags.shell import shows_code


class BundleTable(tables.Table):
    """One row per archive."""

    path = tables.Column(verbose_name="Bundle", linkify=True, attrs={"td": {"class": "name"}})
    environment = EnvironmentColumn(linkify=True)
    codec = tables.Column(verbose_name="Format")
    size = tables.Column(attrs={"td": {"class": "number"}, "th": {"class": "number"}})
    waiver = tables.Column(verbose_name="Waiver")
    created_by = PersonColumn(verbose_name="Exported by")
    created_at = AgoColumn(verbose_name="Exported")

    class Meta:
        """Newest first."""

        model = BundleRecord
        fields = ("path", "environment", "codec", "size", "waiver", "created_by", "created_at")
        order_by = "-created_at"
        template_name = "tables/table.html"
        empty_text = ""

    def render_path(self, record: Any) -> SafeString:
        """The environment and its revision; in the expert view the file with its fingerprint."""
        if not shows_code(self.request):
            title, number = record.environment.title, record.revision.number
            return format_html("<strong>{}</strong>, revision {}", title, number)
        return format_html(
            '<strong>{}</strong><br><span class="muted digest">sha256 {}</span>',
            record.path,
            record.fingerprint[:16],
        )

    def render_codec(self, value: str) -> SafeString:
        """The format's name, and what it is for."""
        meaning = format_meaning(value)
        note = format_html('<br><span class="muted small">{}</span>', meaning) if meaning else ""
        return format_html("{}{}", format_title(value), note)

    def render_size(self, value: Any) -> str:
        """In the unit that reads best."""
        return filesizeformat(value)


class CollectionTable(tables.Table):
    """One row per collection of bundles."""

    title = tables.Column(verbose_name="Collection", linkify=True, attrs={"td": {"class": "name"}})
    count = NumberColumn(verbose_name="Environments")
    size = tables.Column(attrs={"td": {"class": "number"}, "th": {"class": "number"}})
    created_by = PersonColumn(verbose_name="Built by")
    created_at = AgoColumn(verbose_name="Built")

    class Meta:
        """Newest first."""

        model = BundleCollection
        fields = ("title", "count", "size", "created_by", "created_at")
        order_by = "-created_at"
        template_name = "tables/table.html"
        empty_text = ""

    def render_title(self, record: Any) -> SafeString:
        """The title; in the expert view with the archive's digest."""
        if not shows_code(self.request):
            return format_html("<strong>{}</strong>", record.title)
        return format_html(
            '<strong>{}</strong><br><span class="muted digest">sha256 {}</span>',
            record.title,
            record.fingerprint[:16],
        )

    def render_size(self, value: Any) -> str:
        """In the unit that reads best."""
        return filesizeformat(value)
