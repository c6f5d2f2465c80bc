"""The Django application."""

from __future__ import annotations

from django.apps import AppConfig


class StudioConfig(AppConfig):
    """Registers the studio with Django, its checks, and what the change log follows."""

    name = "studio"
    verbose_name = "Worldwright Studio"

    def ready(self) -> None:
        """Called once when Django has loaded every application."""
        from auditlog.registry import auditlog

        from studio import checks, models

        checks.register_all()
        for model, leave_out in (
            (models.EnvironmentRecord, ["updated_at", "risk", "risk_reasons"]),
            (models.Review, ["updated_at", "units"]),
            (models.Flag, []),
            (models.Claim, []),
            (models.BundleRecord, ["manifest"]),
            (models.ApiToken, ["digest", "used_at"]),
        ):
            auditlog.register(model, exclude_fields=leave_out)
