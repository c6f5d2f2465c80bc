"""Who may open what in Django's admin: the role decides, as everywhere else."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.db.models import Exists

from studio.models import Act, Project
from studio.models.projects import DEFAULT_SLUG
from studio.services.accounts import accounts

ACCOUNTS = frozenset({"auth.add_user", "auth.change_user"})
"""What administrators change there; all the rest they look at."""


class RoleBackend(ModelBackend):
    """Django's own accounts; administrators may look at every list and manage accounts."""

    def get_user(self, user_id: Any) -> User | None:
        """The account of a session, with what there is to know of projects: it costs no query of its own."""
        limited = Exists(Project.objects.exclude(is_open=True, archived_at__isnull=True))
        several = Exists(Project.objects.exclude(slug=DEFAULT_SLUG))
        users = User.objects.annotate(has_limited_projects=limited, has_several_projects=several)
        user = users.filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        """Whether the person has a permission of Django's, named `app.action_model`."""
        if super().has_perm(user_obj, perm, obj):
            return True
        only_views = perm.partition(".")[2].startswith("view_")
        return (only_views or perm in ACCOUNTS) and accounts.allowed(user_obj, Act.MANAGE)

    def has_module_perms(self, user_obj: Any, app_label: str) -> bool:
        """Whether the person sees anything of an application."""
        return super().has_module_perms(user_obj, app_label) or accounts.allowed(user_obj, Act.MANAGE)
