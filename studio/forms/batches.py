"""What is asked for when many environments are to be made, and what of it may be changed later."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from studio.forms.synthesis import AUTHORS
from studio.locations import COMMAND

MOST_BYTES = 2 * 1024 * 1024
"""Of a seeds file that a page takes; the command takes any."""


class BudgetForm(forms.Form):
    """The limits of one batch; none is no limit."""

    cost = forms.FloatField(
        required=False,
        min_value=0.01,
        label="Cost, US dollars",
        help_text="For all runs of the batch together. Calls in flight finish, and finished parts are kept.",
        widget=forms.NumberInput(attrs={"step": "0.01", "inputmode": "decimal"}),
    )
    tokens = forms.IntegerField(required=False, min_value=1, label="Tokens, input plus output")


class PriorityForm(forms.Form):
    """The priority of a waiting run."""

    priority = forms.IntegerField(min_value=-100, max_value=100)


class BatchForm(forms.Form):
    """Seeds, how many environments, by whom, and what they may cost."""

    seeds = forms.CharField(
        required=False,
        label="Seeds, one per line",
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 8, "placeholder": "A municipal library lends books\nA clinic's front desk\n…"}
        ),
        help_text="Names or sentences. Blank and repeated lines are ignored.",
    )
    seeds_file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label="Or a file of seeds",
        help_text="UTF-8, up to 2 MB: one per line, .csv with a header, or .jsonl.",
        widget=forms.ClearableFileInput(attrs={"accept": ".txt,.csv,.jsonl,.ndjson,text/plain"}),
    )
    count = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=10_000,
        label="Environments",
        help_text="One per seed when empty. More than seeds: a model proposes further scenarios, the "
        "procedural author repeats the seeds with the next random seed.",
    )
    author = forms.ChoiceField(
        label="Who writes them?", choices=AUTHORS, initial="procedural", widget=forms.RadioSelect
    )
    first_seed = forms.IntegerField(
        label="Random seed",
        min_value=0,
        max_value=2**63 - 1,
        initial=0,
        help_text="The procedural author creates the same environments from the same seeds.",
    )
    tasks = forms.IntegerField(label="Tasks per environment", min_value=1, max_value=50, required=False)
    expand = forms.ChoiceField(
        required=False,
        label="Propose scenarios from the seeds?",
        choices=(("", "If more environments than seeds are requested"), ("yes", "Yes"), ("no", "No")),
        help_text=(
            "Only a model can. Every proposal is compared with earlier ones; near duplicates are rejected."
        ),
    )
    priority = forms.IntegerField(label="Priority", min_value=-100, max_value=100, initial=0, required=False)
    budget_cost = forms.FloatField(
        required=False,
        min_value=0.01,
        label="Budget in US dollars",
        help_text="When it is spent the whole batch pauses; it can be resumed.",
        widget=forms.NumberInput(attrs={"step": "0.01", "inputmode": "decimal"}),
    )
    budget_tokens = forms.IntegerField(required=False, min_value=1, label="Budget in tokens")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        usual = settings.WORLDWRIGHT.tasks
        self.fields["tasks"].help_text = f"As many as the world offers, up to {usual}, if empty."

    def clean(self) -> dict[str, Any]:
        """Either text or a file, and not a larger file than a page takes."""
        values = super().clean() or {}
        file = values.get("seeds_file")
        if file is not None and file.size > MOST_BYTES:
            self.add_error(
                "seeds_file",
                f"{file.name} has {file.size / 1024 / 1024:,.1f} MB; a page accepts 2 MB. "
                f"Start larger batches with `{COMMAND} synthesize --seeds`.",
            )
        elif file is not None and (values.get("seeds") or "").strip():
            self.add_error("seeds_file", "Give seeds either as text or as a file, not both.")
        return values

    def request(self) -> dict[str, Any]:
        """All but the seeds, as the service takes it; the count is None for one per seed."""
        values = self.cleaned_data
        wanted = {
            name: values[name]
            for name in ("count", "author", "first_seed", "tasks", "budget_cost", "budget_tokens")
        }
        expand = {"yes": True, "no": False}.get(values["expand"])
        return {**wanted, "expand": expand, "priority": values["priority"] or 0}
