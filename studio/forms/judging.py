"""What is asked for when a judge is to be measured, and what a person says a trajectory was worth."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from studio.forms.picked import PickedField
from studio.models import VerdictSource
from studio.services.browse import pickers
from synthesis.documents.verdict import LABEL_TITLES

MEANINGS = {
    VerdictSource.CODE_ONLY: "Replays the actions and runs the verifier. No model and no cost.",
    VerdictSource.RULES: (
        "Documented rules compare the changes with the reference solution. No model and no cost."
    ),
    VerdictSource.MODEL_ONLY: "A model reads the trajectory without the verifier's result.",
    VerdictSource.CODE_AUGMENTED: "A model reads the trajectory and the verifier's result.",
}
LABELS = [(name, title) for name, title in LABEL_TITLES.items() if name != "unscored"]


class JudgingForm(forms.Form):
    """Who judges what, and how often."""

    strategy = forms.ChoiceField(
        label="Judge",
        choices=[(source.value, source.label) for source in MEANINGS],
        initial=VerdictSource.CODE_ONLY.value,
        widget=forms.RadioSelect,
    )
    environment = PickedField(
        options=pickers.environments,
        required=False,
        max_length=120,
        label="Environment",
        help_text="Leave empty to sample from all environments.",
    )
    sample = forms.IntegerField(
        label="Trajectories",
        min_value=1,
        help_text="Size of the sample; all trajectories if there are fewer.",
    )
    repeats = forms.IntegerField(
        label="Judgements per trajectory", min_value=2, help_text="How often each trajectory is judged."
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
        self.fields["sample"].initial = settings.WORLDWRIGHT.judge_sample
        self.fields["repeats"].initial = settings.WORLDWRIGHT.judge_repeats


class LabelForm(forms.Form):
    """A person's label; none takes an earlier one back."""

    label = forms.ChoiceField(required=False, choices=[("", "No label"), *LABELS])
    comment = forms.CharField(required=False, max_length=4_000, strip=True)
