"""The Django application."""

from __future__ import annotations

from django.apps import AppConfig


class StudioConfig(AppConfig):
    """Registers the studio with Django."""

    name = "studio"
    verbose_name = "Worldwright Studio"
