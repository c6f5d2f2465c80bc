"""What is asked for when an environment is to be made."""

from __future__ import annotations

from typing import Any

from django import forms

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
        help_text="One sentence is enough, up to a page is welcome: the business, its users, its rules.",
    )
    author = forms.ChoiceField(
        label="Who writes it?", choices=AUTHORS, initial="procedural", widget=forms.RadioSelect
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=2**63 - 1,
        initial=0,
        help_text="The same sentence and seed make the same environment again.",
    )

    def request(self) -> dict[str, Any]:
        """What was asked for, as the service takes it."""
        return {name: self.cleaned_data[name] for name in ("sentence", "author", "seed")}
