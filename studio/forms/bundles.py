"""What is asked for when a bundle is to be exported."""

from __future__ import annotations

from django import forms

from synthesis.bundles.native import NativeCodec


class ExportForm(forms.Form):
    """Which format, with what, and why without approval if so."""

    codec = forms.ChoiceField(label="Format")
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
        self.fields["codec"].choices = [(name, name.replace("_", " ")) for name in codecs]  # type: ignore[attr-defined]


class CollectionForm(forms.Form):
    """What a collection of many environments is called and what comes along."""

    title = forms.CharField(label="Name of the collection", max_length=120)
    with_trajectories = forms.BooleanField(
        label="Include trajectories and their verdicts", required=False, initial=True
    )
