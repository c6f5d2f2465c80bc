"""What is asked for when a judge is to be measured, and what a person says a trajectory was worth."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from studio.models import VerdictSource
from synthesis.documents.verdict import LABEL_TITLES

MEANINGS = {
    VerdictSource.CODE_ONLY: "The actions are played anew, then the verifier looks. No model, no cost.",
    VerdictSource.RULES: "Documented rules compare changes with the reference solution. No model, no cost.",
    VerdictSource.MODEL_ONLY: "A model reads the trajectory and does not see what code says.",
    VerdictSource.CODE_AUGMENTED: "A model reads the trajectory and what code says.",
}
LABELS = [(name, title) for name, title in LABEL_TITLES.items() if name != "unscored"]


class JudgingForm(forms.Form):
    """Who judges what, and how often."""

    strategy = forms.ChoiceField(
        label="Who judges?",
        choices=[(source.value, source.label) for source in MEANINGS],
        initial=VerdictSource.CODE_ONLY.value,
        widget=forms.RadioSelect,
    )
    environment = forms.CharField(
        required=False,
        max_length=120,
        label="Environment",
        help_text="Its name, as in its address. Without one, trajectories of all environments are drawn.",
    )
    sample = forms.IntegerField(
        label="Trajectories", min_value=1, help_text="So many are drawn; all, when there are fewer."
    )
    repeats = forms.IntegerField(
        label="Times each", min_value=2, help_text="How often each of them is judged."
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=2**63 - 1,
        initial=0,
        help_text="The same seed draws the same of the same trajectories.",
    )

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.fields["sample"].initial = settings.ENV["WORLDWRIGHT_JUDGE_SAMPLE"]
        self.fields["repeats"].initial = settings.ENV["WORLDWRIGHT_JUDGE_REPEATS"]


class LabelForm(forms.Form):
    """A person's label; none takes an earlier one back."""

    label = forms.ChoiceField(required=False, choices=[("", "No label"), *LABELS])
    comment = forms.CharField(required=False, max_length=4_000, strip=True)
