"""What is asked for when a bundle is to be exported."""

from __future__ import annotations

from typing import Any

from django import forms

from studio.services.exports.format_words import format_title
from synthesis.bundles.native import NativeCodec
from synthesis.bundles.splits import SplitSettings
from synthesis.errors import InvalidInput


class ExportForm(forms.Form):
    """Which format, with what, and why without approval if so."""

    codec = forms.ChoiceField(label="Format", widget=forms.RadioSelect)
    with_trajectories = forms.BooleanField(
        label="Include trajectories and their verdicts", required=False, initial=True
    )
    waiver = forms.CharField(
        label="Reason for exporting without approval",
        required=False,
        max_length=300,
        help_text="Required because it is not approved; written into the bundle.",
    )

    def __init__(self, *args: object, codecs: list[str], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        # The native bundle comes first and is the default: it holds any environment.
        codecs = sorted(codecs, key=lambda name: (name != NativeCodec.name, name))
        self.fields["codec"].initial = NativeCodec.name
        self.fields["codec"].choices = [(name, format_title(name)) for name in codecs]  # type: ignore[attr-defined]


class CollectionForm(forms.Form):
    """What a collection of many environments is called and what comes along."""

    title = forms.CharField(label="Name of the collection", max_length=120)
    with_trajectories = forms.BooleanField(
        label="Include trajectories and their verdicts", required=False, initial=True
    )
    train = forms.FloatField(label="Train, %", required=False, min_value=0, max_value=100, initial=90)
    validation = forms.FloatField(
        label="Validation, %", required=False, min_value=0, max_value=100, initial=5
    )
    test = forms.FloatField(label="Test, %", required=False, min_value=0, max_value=100, initial=5)
    seed = forms.IntegerField(
        label="Seed for the splits",
        required=False,
        min_value=0,
        max_value=2**31,
        initial=0,
        help_text="An environment is wholly in one split; one that its tasks name goes before the shares.",
    )

    def clean(self) -> dict[str, Any]:
        """The shares and the seed become settings of the splits."""
        values = super().clean() or {}
        given = {name: values.pop(name, None) for name in ("train", "validation", "test", "seed")}
        splits = SplitSettings(**{name: value for name, value in given.items() if value is not None})
        try:
            splits.shares()
        except InvalidInput as error:
            self.add_error("train", str(error))
        return {**values, "splits": splits}
