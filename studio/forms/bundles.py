"""What is asked for when a bundle is to be exported."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from studio.forms.splits import SplitForm
from studio.locations import COMMAND
from studio.services.exports.bundles import MOST_UPLOADED
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
        help_text="Needed because it is not approved; written into the bundle.",
    )

    def __init__(self, *args: object, codecs: list[str], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        # The native bundle comes first and is the default: it holds any environment.
        codecs = sorted(codecs, key=lambda name: (name != NativeCodec.name, name))
        self.fields["codec"].initial = NativeCodec.name
        self.fields["codec"].choices = [(name, format_title(name)) for name in codecs]  # type: ignore[attr-defined]


class ImportForm(forms.Form):
    """An exported environment from elsewhere."""

    bundle = forms.FileField(
        label="The file",
        allow_empty_file=True,
        max_length=400,
        help_text="A .zip that a studio exported as a whole environment (format “native”), up to "
        f"{MOST_UPLOADED // 2**20} MB.",
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,application/zip"}),
        error_messages={"required": "Choose the file.", "invalid": "Choose the file."},
    )
    with_trajectories = forms.BooleanField(
        label="Include trajectories and their verdicts", required=False, initial=True
    )

    def clean_bundle(self) -> UploadedFile[Any]:
        """Not larger than a page takes."""
        file: UploadedFile[Any] = self.cleaned_data["bundle"]
        size = file.size or 0
        if size > MOST_UPLOADED:
            raise forms.ValidationError(
                f"{file.name} has {size / 2**20:,.0f} MB; a page takes {MOST_UPLOADED // 2**20} MB. "
                f"Ask whoever runs the studio to import it with `{COMMAND} import_bundle`.",
                code="too_large",
            )
        return file


class CollectionForm(SplitForm):
    """What a collection of many environments is called and what comes along."""

    title = forms.CharField(label="Name of the collection", max_length=120)
    with_trajectories = forms.BooleanField(
        label="Include trajectories and their verdicts", required=False, initial=True
    )

    def clean(self) -> dict[str, Any]:
        """The shares and the seed become settings of the splits."""
        values = super().clean()
        splits = SplitSettings(**{name: values.pop(name) for name in SplitForm.base_fields if name in values})
        try:
            splits.shares()
        except InvalidInput as error:
            self.add_error("train", str(error))
        return {**values, "splits": splits}
