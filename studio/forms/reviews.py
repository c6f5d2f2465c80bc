"""What a reviewer fills in: a verdict with its rubric, a flag, a comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.forms.fields import InvalidJSONInput

from studio.forms.long_text import LongText
from studio.forms.picked import PickedField
from studio.models import AnswerKind, FlagReason, FlagSeverity, ReviewDecision
from studio.services.browse.pickers import Options
from studio.services.environments.trade_words import trade_word
from studio.services.review.answers import LONGEST_NOTE
from studio.services.review.flags import LONGEST_COMMENT
from studio.services.review.grades import missing_grades
from studio.services.review.reviews import refuses
from studio.services.storable_text import UnstorableText, require_storable_value
from synthesis.documents.finding import PART_NAMES
from synthesis.documents.rubric import ENVIRONMENT_QUALITY, Criterion

NO_PART = ("", "The part implied by the reason")
PARTS = [NO_PART, *[(name, name.replace("_", " ").capitalize()) for name in PART_NAMES]]

PERSON = "person"
"""Whose turn it is where no author of the studio's own makes the changes."""
UNIT_CHOICES = [("", "same as overall"), *ReviewDecision.choices]


class ReviewForm(forms.Form):
    """A verdict on one revision."""

    revision = forms.IntegerField(widget=forms.HiddenInput)
    decision = forms.ChoiceField(
        label="Decision", choices=ReviewDecision.choices, required=False, widget=forms.RadioSelect
    )
    comment = LongText(
        label="Why",
        required=False,
        max_length=LONGEST_COMMENT,
        rows=4,
        help_text="What convinced you, or what must change. Required unless you approve.",
    )

    def __init__(
        self,
        *args: Any,
        needs_decision: bool = True,
        needs_grades: bool = True,
        units: Iterable[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.needs_decision, self.needs_grades = needs_decision, needs_grades
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
            self.add_error("decision", "Choose a decision.")
        self._require_grades(cleaned)
        if (
            cleaned.get("decision")
            and refuses(self._decisions(cleaned))
            and not cleaned.get("comment", "").strip()
        ):
            self.add_error("comment", "Say what must change.")
        return cleaned

    def _require_grades(self, cleaned: dict[str, Any]) -> None:
        """Who approves the whole or a part grades every criterion."""
        decisions = self._decisions(cleaned)
        for criterion in missing_grades(decisions, self.scores()) if self.needs_grades else ():
            self.add_error(f"score_{criterion.name}", "Give a grade: an approval needs all three.")

    def _decisions(self, cleaned: dict[str, Any]) -> list[str]:
        """What is decided about the whole and about parts of their own."""
        return [cleaned.get("decision") or "", *self.unit_decisions().values()]

    def unit_field(self, unit: str) -> forms.BoundField:
        """The field of one part's own verdict."""
        return self[f"unit.{unit}"]

    def unit_decisions(self) -> dict[str, str]:
        """Parts that are decided otherwise than the whole, with their verdict."""
        answers = {unit: self.cleaned_data.get(f"unit.{unit}", "") for unit in self.units}
        return {unit: decision for unit, decision in answers.items() if decision}

    def scores(self) -> dict[str, int]:
        """Criterion to grade, for the ones that were given."""
        return {
            criterion.name: int(self.cleaned_data[f"score_{criterion.name}"])
            for criterion in ENVIRONMENT_QUALITY.criteria
            if self.cleaned_data.get(f"score_{criterion.name}")
        }


class PersonField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """A person by name; whoever asks is called "yourself".

    Args:
        own: Who asks.
    """

    own: User | None = None

    def label_from_instance(self, obj: User) -> str:
        """What the person is called."""
        name = obj.get_full_name() or obj.get_username()
        return f"{name} (yourself)" if self.own is not None and obj.pk == self.own.pk else name


class SendBackForm(forms.Form):
    """Which objections are accepted, and whose turn it is to work them off."""

    revision = forms.IntegerField(widget=forms.HiddenInput)
    author = forms.ChoiceField(label="Who makes the changes?", widget=forms.RadioSelect)
    assignee = PersonField(
        label="Person",
        queryset=User.objects.none(),
        required=False,
        empty_label="Choose a person",
        help_text="You have the list yourself unless you choose somebody else.",
    )
    until = forms.DateField(
        label="Until", required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    flag = forms.TypedMultipleChoiceField(coerce=int, required=False)
    review = forms.TypedMultipleChoiceField(coerce=int, required=False)

    def __init__(
        self,
        *args: Any,
        authors: Iterable[str],
        people: QuerySet[User],
        own: User,
        flags: Iterable[int],
        reviews: Iterable[int],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        choices = [(name, f"{name.capitalize()} author") for name in authors]
        self.fields["author"].choices = [*choices, (PERSON, "A person")]  # type: ignore[attr-defined]
        self.fields["assignee"].queryset = people  # type: ignore[attr-defined]
        self.fields["assignee"].own = own  # type: ignore[attr-defined]
        self.fields["flag"].choices = [(number, str(number)) for number in flags]  # type: ignore[attr-defined]
        self.fields["review"].choices = [(number, str(number)) for number in reviews]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Who gives it to a person says to whom, and until when."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("author") == PERSON:
            for name, words in (("assignee", "Choose a person."), ("until", "Choose a day.")):
                if not cleaned.get(name) and name not in self.errors:
                    self.add_error(name, words)
        return cleaned


class EvidenceField(forms.JSONField):
    """What a flag was raised at, by name; the numbers in it are those of rows and steps."""

    def to_python(self, value: Any) -> Any:
        """The object that was sent; anything else is invalid."""
        try:
            results = super().to_python(value)
        except ValueError:  # a number of thousands of digits
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from None
        if results is None:
            return None
        whole = isinstance(results, dict) and all(
            abs(each) < 2**63 for each in results.values() if isinstance(each, int | float)
        )
        if not whole:
            raise forms.ValidationError("The evidence is no object, or a number in it is too large.")
        return results

    def bound_data(self, data: Any, initial: Any) -> Any:
        """What the form shows again: the value, or the text that is none."""
        try:
            return super().bound_data(data, initial)
        except ValueError:
            return InvalidJSONInput(data)


class FlagForm(forms.Form):
    """Something that is wrong, with its place.

    Args:
        places: What is suggested as its place.
        expert: Whether reasons and parts are called as the field calls them.
    """

    reason = forms.ChoiceField(label="What is wrong?", choices=FlagReason.choices)
    severity = forms.ChoiceField(label="Severity", choices=FlagSeverity.choices)
    part = forms.ChoiceField(label="Part", choices=PARTS, required=False)
    comment = LongText(label="What did you see, and what did you expect?", max_length=LONGEST_COMMENT)
    evidence = EvidenceField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, places: Options, expert: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in () if expert else ("reason", "part"):
            choices: Any = self.fields[name].choices  # type: ignore[attr-defined]
            self.fields[name].choices = [(value, trade_word(str(label))) for value, label in choices]  # type: ignore[attr-defined]
        self.fields["where"] = PickedField(
            options=places,
            label="Place",
            required=False,
            max_length=200,
            help_text="Which table, tool or task; begin to type to find it.",
        )


class TaskAnswerForm(forms.Form):
    """Whether one task is right, and a note about one place in it."""

    answer = forms.ChoiceField(
        label="Is it right?",
        choices=AnswerKind.choices,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose right, wrong or not sure."},
    )
    place = forms.ChoiceField(label="About", required=False)
    note = LongText(
        label="Note",
        required=False,
        max_length=LONGEST_NOTE,
        help_text="What is wrong or unclear becomes a flag at this place.",
    )

    def __init__(self, *args: Any, places: Iterable[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["place"].choices = list(places)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Who finds it wrong says what."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("answer") == AnswerKind.WRONG and not cleaned.get("note", "").strip():
            self.add_error("note", "Say what is wrong: your note goes to whoever mends it.")
        return cleaned


class QuestionAnswerForm(forms.Form):
    """What a reviewer answers to one question of the proof; several are sent at once, each with a prefix."""

    answer = forms.ChoiceField(
        label="Your answer",
        choices=[("yes", "Yes"), ("no", "No, that is wrong"), ("unsure", "Not sure")],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose yes, no or not sure."},
    )
    note = LongText(label="Note", required=False, max_length=LONGEST_NOTE, rows=2)

    def clean(self) -> dict[str, Any]:
        """Who answers no says what is wrong."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("answer") == "no" and not cleaned.get("note", "").strip():
            self.add_error("note", "Say what is wrong: your note goes to whoever mends it.")
        return cleaned


class CommentForm(forms.Form):
    """Something said about one place."""

    body = LongText(label="Comment", max_length=LONGEST_COMMENT)
    anchor_kind = forms.CharField(widget=forms.HiddenInput, required=False)
    anchor = forms.CharField(widget=forms.HiddenInput, required=False)
    unit = forms.CharField(widget=forms.HiddenInput, required=False)
    snapshot = forms.CharField(widget=forms.HiddenInput, required=False)
    place = EvidenceField(required=False)
    """The chosen place, where the page has several: its kind, anchor and present content."""
    pending = forms.BooleanField(required=False)
    parent = forms.IntegerField(widget=forms.HiddenInput, required=False)
    next = forms.CharField(widget=forms.HiddenInput, required=False)

    def clean_place(self) -> dict[str, str]:
        """Its texts; JSON can say some that no database keeps."""
        texts = {name: str(text) for name, text in (self.cleaned_data["place"] or {}).items()}
        try:
            require_storable_value(texts)
        except UnstorableText as error:
            raise forms.ValidationError(str(error)) from None
        return texts


class SettleForm(forms.Form):
    """How a flag was settled."""

    resolution = forms.CharField(label="How was it resolved?", required=False, max_length=2_000)
