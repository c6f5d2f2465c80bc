"""Django's admin, for operators: people, roles and tokens; everything else is read-only here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from studio.models import ApiToken, BundleRecord, EnvironmentRecord, Flag, LlmCall, Review, Run

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Model]
else:
    AnyAdmin = admin.ModelAdmin


class ReadOnlyAdmin(AnyAdmin):
    """Records are changed by services only, so here they can be looked at."""

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Never."""
        return False


@admin.register(EnvironmentRecord)
class EnvironmentAdmin(ReadOnlyAdmin):
    """Environments."""

    list_display = ("name", "title", "category", "state", "updated_at")
    list_filter = ("state", "author_kind")
    search_fields = ("name", "title")


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """Runs."""

    list_display = ("id", "kind", "state", "title", "error_type", "created_at", "finished_at")
    list_filter = ("kind", "state", "error_type")


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    """Reviews."""

    list_display = ("id", "environment", "reviewer", "state", "decision", "submitted_at")
    list_filter = ("state", "decision")


@admin.register(Flag)
class FlagAdmin(ReadOnlyAdmin):
    """Flags."""

    list_display = ("id", "environment", "reason", "severity", "state", "raised_by")
    list_filter = ("state", "reason", "severity")


@admin.register(BundleRecord)
class BundleAdmin(ReadOnlyAdmin):
    """Bundles."""

    list_display = ("path", "environment", "codec", "size", "created_at")


@admin.register(LlmCall)
class LlmCallAdmin(ReadOnlyAdmin):
    """The ledger."""

    list_display = ("id", "run", "stage", "model", "outcome", "input_tokens", "output_tokens", "cost", "at")
    list_filter = ("outcome", "model")


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Tokens of programs, never the tokens themselves."""

    list_display = ("name", "user", "hint", "created_at", "used_at", "expires_at", "revoked_at")
    exclude = ("digest",)
