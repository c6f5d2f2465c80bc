"""What is asked for when trajectories are exported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from django import forms

from studio.forms.picked import PickedField, PickedNumber
from studio.forms.splits import SplitForm
from studio.models import EnvironmentState
from studio.services.browse.pickers import Options
from studio.services.exports.trajectory_export_plan import LONGEST_WAIVER, ExportSettings
from synthesis.bundles.splits import SplitSettings
from synthesis.bundles.trajectory_archive import FORMATS
from synthesis.documents.tasks import Difficulty, TaskKind
from synthesis.documents.verdict import LABEL_TITLES


def _named(values: Any) -> list[tuple[str, str]]:
    return [(value, value.capitalize()) for value in get_args(values)]


def _boxes() -> forms.CheckboxSelectMultiple:
    return forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"})


class SelectionForm(forms.Form):
    """Which trajectories; the names are those of the list's filters.

    Args:
        offers: By field, what is suggested: the same for all forms of a page, so that it is asked for once.
    """

    label = forms.MultipleChoiceField(
        label="Verdict",
        required=False,
        choices=list(LABEL_TITLES.items()),
        widget=_boxes(),
    )
    state = forms.MultipleChoiceField(
        label="Level of the environment",
        required=False,
        choices=EnvironmentState.choices,
        widget=_boxes(),
    )
    kind = forms.MultipleChoiceField(
        label="Task kind", required=False, choices=_named(TaskKind), widget=_boxes()
    )
    difficulty = forms.MultipleChoiceField(
        label="Difficulty", required=False, choices=_named(Difficulty), widget=_boxes()
    )
    reward_min = forms.FloatField(label="Reward at least", required=False)
    reward_max = forms.FloatField(label="Reward at most", required=False)
    agent = PickedField(options=list, label="Agent", required=False, max_length=80)
    model = PickedField(options=list, label="Model", required=False, max_length=120)
    environment = PickedField(options=list, label="Environment", required=False, max_length=120)
    category = forms.CharField(label="Category", required=False, max_length=120)
    run = PickedNumber(options=list, label="Run", required=False)
    trainable = forms.BooleanField(
        label="Only trainable trajectories",
        required=False,
        widget=forms.CheckboxInput(attrs={"value": "true"}),
    )

    def __init__(self, *args: Any, offers: Mapping[str, Options], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, options in offers.items():
            self.fields[name].widget.ask = options


class TrajectoryExportForm(SplitForm):
    """As what the chosen trajectories leave, and how environments are dealt into splits."""

    format = forms.ChoiceField(label="Format", choices=list(FORMATS.items()), initial="chat_jsonl")
    history = forms.CharField(
        label="History of a training sample",
        required=False,
        max_length=40,
        help_text="full, window:3, tokens:16000 or summary:3; leave empty for what the agent was shown.",
    )
    reasoning = forms.BooleanField(
        label="Include the models' reasoning",
        required=False,
        initial=True,
        help_text="In chat lines and training samples as reasoning_content; ATIF always has it.",
    )
    own = forms.BooleanField(label="Use splits that tasks name first", required=False, initial=True)
    older_revisions = forms.BooleanField(label="Include older revisions", required=False)
    waiver = forms.CharField(
        label="Reason for including environments that are not approved",
        required=False,
        max_length=LONGEST_WAIVER,
        help_text="Leave empty to exclude them. The reason is written into the data card.",
    )

    def settings(self) -> ExportSettings:
        """What was asked for; as it is by default where something is wrong."""
        return export_settings(self.cleaned_data) if self.is_valid() else ExportSettings()


def export_settings(values: Mapping[str, Any]) -> ExportSettings:
    """Settings from flat values, as forms, commands and programs have them."""
    return ExportSettings(
        splits=SplitSettings(**{name: values[name] for name in SplitSettings.model_fields}),
        **{name: values[name] for name in ExportSettings.model_fields if name != "splits"},
    )
