"""The Django application."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class StudioConfig(AppConfig):
    """Registers the studio with Django, its checks, and what the change log follows."""

    name = "studio"
    verbose_name = "Worldwright Studio"

    def ready(self) -> None:
        """Called once when Django has loaded every application."""
        from auditlog.registry import auditlog
        from django.conf import settings
        from django.contrib.auth.models import User

        from studio import checks, models
        from studio.services.accounts import accounts
        from studio.services.audit import receivers
        from studio.services.telemetry import error_reports, tracing
        from studio.variable import shown

        error_reports.begin(shown(settings.WORLDWRIGHT.sentry_dsn))
        tracing.begin(settings.WORLDWRIGHT.otel_endpoint or "")
        checks.register_all()
        post_migrate.connect(accounts.create_roles, sender=self)
        receivers.connect()
        for model, leave_out in (
            (models.EnvironmentRecord, ["updated_at", "risk", "risk_reasons"]),
            (models.Review, ["updated_at", "units"]),
            (models.Flag, []),
            (models.Claim, []),
            (models.ChangeList, ["parts", "edits"]),
            (models.BundleRecord, ["manifest"]),
            (models.BundleCollection, ["manifest"]),
            (models.Comment, []),
            (models.Invitation, ["digest"]),
            (models.PersonProfile, ["last_seen_at"]),
            (models.ApiToken, ["digest", "used_at"]),
            (models.Project, []),
            (models.ProjectMember, []),
            (models.EndpointKey, ["sealed"]),
        ):
            auditlog.register(model, exclude_fields=leave_out)
        auditlog.register(User, exclude_fields=["password", "last_login"], m2m_fields={"groups"})
