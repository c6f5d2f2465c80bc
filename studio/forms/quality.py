"""What is asked for when environments are to be graded."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from studio.forms.picked import PickedField
from studio.services.browse import pickers


class GradingForm(forms.Form):
    """Which environments, or how many."""

    environment = PickedField(
        options=pickers.environments,
        required=False,
        max_length=120,
        label="Environment",
        help_text="Leave empty to grade a random sample.",
    )
    sample = forms.IntegerField(
        label="Environments",
        min_value=1,
        help_text="Size of the sample; all environments if there are fewer.",
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=2**63 - 1,
        initial=0,
        help_text="The same seed selects the same sample.",
    )

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.fields["sample"].initial = settings.WORLDWRIGHT.quality_sample
