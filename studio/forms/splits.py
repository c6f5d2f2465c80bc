"""How environments are dealt into splits: shares in percent, and a seed."""

from __future__ import annotations

from typing import Any

from django import forms

from synthesis.bundles.splits import SplitSettings

SPLITS = SplitSettings()
"""What is meant where nothing is entered."""


def _share(title: str, initial: float) -> forms.FloatField:
    return forms.FloatField(
        label=f"{title}, %", required=False, min_value=0, max_value=100, initial=f"{initial:g}"
    )


class SplitForm(forms.Form):
    """The fields of the shares; what is left empty is as it is by default."""

    train = _share("Train", SPLITS.train)
    validation = _share("Validation", SPLITS.validation)
    test = _share("Test", SPLITS.test)
    seed = forms.IntegerField(
        label="Seed for the splits",
        required=False,
        min_value=0,
        max_value=2**31,
        initial=SPLITS.seed,
        help_text="An environment is wholly in one split; one that its tasks name goes before the shares.",
    )

    def clean(self) -> dict[str, Any]:
        """The shares and the seed, each with a value."""
        values = super().clean() or self.cleaned_data
        empty = [name for name in SplitForm.base_fields if values.get(name, "") is None]
        return {**values, **{name: getattr(SPLITS, name) for name in empty}}
