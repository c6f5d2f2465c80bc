"""Django's admin, for administrators: people with their roles, and tokens; the rest is read-only here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from studio.forms.people import NewPersonForm, PersonForm
from studio.models import ApiToken, BundleRecord, EnvironmentRecord, Flag, LlmCall, Review, Role, Run
from studio.services.accounts import accounts

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Model]
    AnyUserAdmin = UserAdmin[User]
else:
    AnyAdmin = admin.ModelAdmin
    AnyUserAdmin = UserAdmin

admin.site.unregister(User)
admin.site.unregister(Group)  # roles are fixed; which one somebody has is chosen at the person


@admin.register(User)
class PersonAdmin(AnyUserAdmin):
    """People, each with one role; nobody is deleted, because what they decided keeps their name."""

    form, add_form = PersonForm, NewPersonForm
    list_display = ("username", "first_name", "last_name", "email", "role", "is_active", "last_login")
    list_filter = ("groups", "is_active")
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password", "role", "is_active")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("username", "usable_password", "password1", "password2", "role")}),)

    @admin.display(description="Role")
    def role(self, person: User) -> str:
        """The role's title; empty for none."""
        result = accounts.role_of(person)
        return str(result.label) if result else ""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A superuser is changed by superusers only: who could set the password would be one."""
        own = obj is None or not obj.is_superuser or request.user.is_superuser
        return own and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Never: an account is switched off."""
        return False

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Give the person the role that was chosen."""
        super().save_related(request, form, formsets, change)
        chosen = form.cleaned_data.get("role")
        accounts.set_role(user=form.instance, role=Role(chosen) if chosen else None)


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

    list_display = ("id", "name", "user", "hint", "created_at", "used_at", "expires_at", "revoked_at")
    list_filter = ("user",)
    exclude = ("digest",)
    actions = ("revoke",)

    @admin.action(description="Revoke the selected tokens", permissions=["view"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        """They open nothing any more; those that were revoked before stay as they are."""
        ended = sum(accounts.end_token(token.pk) for token in tokens)
        self.message_user(request, f"Tokens revoked: {ended}.")
