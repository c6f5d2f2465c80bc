"""What is asked for when an environment is to be made."""

from __future__ import annotations

from typing import Any

from django import forms

from studio.services.llm.pool import split_models

AUTHORS = (
    ("procedural", "Procedural author"),
    ("model", "Model author"),
)
LONGEST_SENTENCE = 8_000


class SynthesisForm(forms.Form):
    """One sentence, and who writes the parts."""

    sentence = forms.CharField(
        label="Which application?",
        max_length=LONGEST_SENTENCE,
        widget=forms.Textarea(
            attrs={
                "rows": 4,
                "placeholder": "A municipal library lends books, games and tools in five branches.",
            }
        ),
        help_text="From one sentence up to a page: the business, its users, its rules.",
    )
    author = forms.ChoiceField(
        label="Who writes it?", choices=AUTHORS, initial="procedural", widget=forms.RadioSelect
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=2**63 - 1,
        initial=0,
        help_text="The same sentence and seed give the same environment.",
    )

    models = forms.CharField(
        label="Models",
        required=False,
        max_length=400,
        help_text=(
            "Leave empty for those of the settings. Further ones, after commas, stand in when those before "
            "are down: gpt-5, qwen3:32b@local. The name after @ is an endpoint that the operator has set up."
        ),
    )
    second_models = forms.CharField(
        label="Models of a second author",
        required=False,
        max_length=400,
        help_text="Asked for a part when the first author has spent its attempts.",
    )

    goes_on_with = forms.CharField(required=False, widget=forms.HiddenInput)
    """The sentence about which its author was warned and goes on all the same."""

    def goes_on(self) -> bool:
        """Whether the warning about exactly this sentence was read."""
        warned, sent = (self.cleaned_data[name].split() for name in ("goes_on_with", "sentence"))
        return bool(warned == sent)

    def request(self) -> dict[str, Any]:
        """What was asked for, as the service takes it."""
        given = self.cleaned_data
        chosen = {name: split_models(given[name]) for name in ("models", "second_models")}
        return {
            **{name: given[name] for name in ("sentence", "author", "seed")},
            **{name: models for name, models in chosen.items() if models},
        }
