"""Forms about accounts: signing in, joining, fields of expertise, tokens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, BaseUserCreationForm
from django.contrib.auth.models import User

from studio.models import Project, Role, Scope

if TYPE_CHECKING:
    CreationForm = BaseUserCreationForm[User]
else:
    CreationForm = BaseUserCreationForm

MOST_TOKEN_DAYS = 3_650


class SignInForm(AuthenticationForm):
    """Name and password; a wrong pair is told apart from an account that was switched off."""

    error_messages: ClassVar[dict[str, str]] = {  # type: ignore[assignment,misc]
        "invalid_login": "The name or the password is wrong. Both are case-sensitive.",
        "inactive": "This account is deactivated. Ask an administrator.",
    }


class JoinForm(CreationForm):
    """The account that an invited person makes."""

    class Meta:
        """Name to sign in with, and the names that others see."""

        model = User
        fields = ("username", "first_name", "last_name", "email")


class InvitationForm(forms.Form):
    """Whom an administrator invites, and as what."""

    note = forms.CharField(
        label="For whom", max_length=120, help_text="A name or an address, so that you recognise the link."
    )
    role = forms.ChoiceField(
        label="Role",
        choices=Role.choices,
        initial=Role.REVIEWER.value,
        help_text="Each role includes those before it.",
    )


class MailsForm(forms.Form):
    """Whether and where a person gets notifications by e-mail."""

    mails = forms.BooleanField(label="Send notifications by e-mail, too", required=False)
    email = forms.EmailField(
        label="E-mail address", required=False, max_length=254, help_text="None is sent without one."
    )


class ExpertiseForm(forms.Form):
    """The fields a person knows."""

    fields_known = forms.CharField(
        label="Fields of expertise",
        required=False,
        max_length=2_000,
        help_text="Separated by commas, for example lending, health care.",
    )

    def clean_fields_known(self) -> list[str]:
        """One text per field."""
        return str(self.cleaned_data["fields_known"]).split(",")


class TokenForm(forms.Form):
    """What a new token is for."""

    name = forms.CharField(
        label="Name", max_length=80, help_text="The program that uses it, for example nightly trainer."
    )
    scopes = forms.MultipleChoiceField(
        label="Scopes",
        choices=Scope.choices,
        initial=[Scope.READ.value],
        widget=forms.CheckboxSelectMultiple,
        help_text="Within what your role allows.",
    )
    only_project = forms.ChoiceField()
    days = forms.IntegerField(
        label="Days until it expires",
        min_value=1,
        max_value=MOST_TOKEN_DAYS,
    )

    def __init__(self, *arguments: Any, projects: Iterable[Project] | None = None, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.fields["days"].initial = settings.WORLDWRIGHT.token_days
        if projects is None or len(choices := [(each.slug, each.name) for each in projects]) < 2:
            del self.fields["only_project"]
        else:
            self.fields["only_project"] = forms.ChoiceField(
                label="Project",
                required=False,
                choices=[("", "All of yours"), *choices],
                help_text="One project keeps the program out of the others.",
            )
