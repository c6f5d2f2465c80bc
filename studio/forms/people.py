"""People as administrators manage them: an account and its role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import User

from studio.models import Role
from studio.services.accounts import accounts

if TYPE_CHECKING:
    CreationForm = AdminUserCreationForm[User]
    ChangeForm = UserChangeForm[User]
else:
    CreationForm = AdminUserCreationForm
    ChangeForm = UserChangeForm

NO_ROLE = [("", "None: no access")]


def _role_field() -> forms.ChoiceField:
    return forms.ChoiceField(
        choices=NO_ROLE + list(Role.choices),
        required=False,
        help_text="What the person may do; each role includes those before it.",
    )


class NewPersonForm(CreationForm):
    """Name, password and role."""

    role = _role_field()


class PersonForm(ChangeForm):
    """Everything about an account but its password, which has a page of its own."""

    role = _role_field()

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if self.instance.pk:
            self.fields["role"].initial = accounts.role_of_group(self.instance) or ""
