"""What a reviewer fills in: a verdict with its rubric, a flag, a comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django import forms

from studio.models import Decision, FlagReason, FlagSeverity
from studio.services.flags import LONGEST_COMMENT
from synthesis.documents.finding import PART_NAMES
from synthesis.documents.rubric import ENVIRONMENT_QUALITY, Criterion

NO_PART = ("", "The part the reason points at")
PARTS = [NO_PART, *[(name, name.replace("_", " ").capitalize()) for name in PART_NAMES]]


UNIT_CHOICES = [("", "as the whole"), *Decision.choices]


class ReviewForm(forms.Form):
    """A verdict on one revision."""

    revision = forms.IntegerField(widget=forms.HiddenInput)
    decision = forms.ChoiceField(
        label="Decision", choices=Decision.choices, required=False, widget=forms.RadioSelect
    )
    comment = forms.CharField(
        label="Why",
        required=False,
        max_length=LONGEST_COMMENT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="What convinced you, or what has to change. Required unless you approve.",
    )

    def __init__(
        self, *args: Any, needs_decision: bool = True, units: Iterable[str] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.needs_decision = needs_decision
        self.units = list(units)
        for unit in self.units:
            self.fields[f"unit.{unit}"] = forms.ChoiceField(label=unit, choices=UNIT_CHOICES, required=False)
        for criterion in ENVIRONMENT_QUALITY.criteria:
            grades = [(str(n), str(n)) for n in range(criterion.lowest, criterion.highest + 1)]
            self.fields[f"score_{criterion.name}"] = forms.ChoiceField(
                label=criterion.title, choices=grades, required=False, widget=forms.RadioSelect
            )

    def criteria(self) -> Iterator[tuple[Criterion, forms.BoundField]]:
        """Each criterion of the rubric with its field."""
        for criterion in ENVIRONMENT_QUALITY.criteria:
            yield criterion, self[f"score_{criterion.name}"]

    def clean(self) -> dict[str, Any]:
        """A verdict has a decision, and words unless it approves."""
        cleaned = super().clean() or self.cleaned_data
        if not self.needs_decision:
            return cleaned
        if not cleaned.get("decision"):
            self.add_error("decision", "Choose one of the three.")
        elif self._refuses(cleaned) and not cleaned.get("comment", "").strip():
            self.add_error("comment", "Say what has to change, so that it can be changed.")
        return cleaned

    def _refuses(self, cleaned: dict[str, Any]) -> bool:
        """Whether the whole or a part is not approved."""
        said = [cleaned["decision"], *(cleaned.get(f"unit.{unit}") for unit in self.units)]
        return any(decision not in ("", None, Decision.APPROVE) for decision in said)

    def unit_field(self, unit: str) -> forms.BoundField:
        """The field of one part's own verdict."""
        return self[f"unit.{unit}"]

    def unit_decisions(self) -> dict[str, str]:
        """Parts that are decided otherwise than the whole, with their verdict."""
        said = {unit: self.cleaned_data.get(f"unit.{unit}", "") for unit in self.units}
        return {unit: decision for unit, decision in said.items() if decision}

    def scores(self) -> dict[str, int]:
        """Criterion to grade, for the ones that were given."""
        return {
            criterion.name: int(self.cleaned_data[f"score_{criterion.name}"])
            for criterion in ENVIRONMENT_QUALITY.criteria
            if self.cleaned_data.get(f"score_{criterion.name}")
        }


class SendBackForm(forms.Form):
    """Whose turn it is to mend what was flagged."""

    revision = forms.IntegerField(widget=forms.HiddenInput)
    author = forms.ChoiceField(label="Who mends it?", widget=forms.RadioSelect)

    def __init__(self, *args: Any, authors: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(name, f"{name.capitalize()} author") for name in authors]
        self.fields["author"].choices = choices  # type: ignore[attr-defined]


class FlagForm(forms.Form):
    """Something that is wrong, with its place."""

    reason = forms.ChoiceField(label="What is wrong?", choices=FlagReason.choices)
    severity = forms.ChoiceField(label="How bad is it?", choices=FlagSeverity.choices)
    part = forms.ChoiceField(label="Part", choices=PARTS, required=False)
    where = forms.CharField(
        label="Place",
        required=False,
        max_length=200,
        help_text="A table, tool or task, for example cancel_appointment.",
    )
    comment = forms.CharField(
        label="What did you see, and what did you expect?",
        max_length=LONGEST_COMMENT,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    evidence = forms.JSONField(required=False, widget=forms.HiddenInput)


class CommentForm(forms.Form):
    """Something said about one place."""

    body = forms.CharField(
        label="Comment", max_length=LONGEST_COMMENT, widget=forms.Textarea(attrs={"rows": 3})
    )
    anchor_kind = forms.CharField(widget=forms.HiddenInput, required=False)
    anchor = forms.CharField(widget=forms.HiddenInput, required=False)
    unit = forms.CharField(widget=forms.HiddenInput, required=False)
    snapshot = forms.CharField(widget=forms.HiddenInput, required=False)
    parent = forms.IntegerField(widget=forms.HiddenInput, required=False)
    next = forms.CharField(widget=forms.HiddenInput, required=False)


class SettleForm(forms.Form):
    """How a flag was settled."""

    resolution = forms.CharField(label="How was it settled?", required=False, max_length=2_000)
