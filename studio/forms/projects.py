"""Forms of projects."""

from __future__ import annotations

from typing import Any

from django import forms

from studio.models import Project
from studio.services.llm.endpoint_keys import LONGEST_KEY
from studio.services.llm.pool import endpoint_names
from studio.services.projects.projects import LONGEST_DESCRIPTION, LONGEST_NAME


class ProjectForm(forms.Form):
    """A new project."""

    name = forms.CharField(max_length=LONGEST_NAME)
    description = forms.CharField(
        max_length=LONGEST_DESCRIPTION, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )


class EndpointKeyForm(forms.Form):
    """A project's own key for an endpoint."""

    endpoint = forms.ChoiceField(required=False)
    key = forms.CharField(
        max_length=LONGEST_KEY,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Its runs use it in place of the studio's. It is stored encrypted and not shown again.",
    )

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        names = [(name, name or "the studio's default") for name in endpoint_names()]
        self.fields["endpoint"] = forms.ChoiceField(choices=names, required=False)


class ProjectSettingsForm(ProjectForm):
    """What administrators change of a project."""

    month_cost = forms.DecimalField(
        label="US dollars a month",
        min_value=0,
        max_digits=12,
        decimal_places=2,
        required=False,
        help_text="What its runs may spend on models in a calendar month; empty for no limit of its own.",
    )
    month_tokens = forms.IntegerField(
        label="Tokens a month", min_value=0, max_value=2**62, required=False, help_text="Input plus output."
    )
    is_open = forms.BooleanField(
        label="Open to everybody with an account",
        required=False,
        help_text="Then everybody takes part with the role of their account.",
    )

    @classmethod
    def of(cls, project: Project) -> ProjectSettingsForm:
        """With what holds now."""
        return cls(initial={name: getattr(project, name) for name in cls.base_fields})
