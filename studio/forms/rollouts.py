"""What is asked for when agents are to play."""

from __future__ import annotations

from typing import Any

from django import forms

from studio.models import EnvironmentState
from studio.services.rollout_agents import AgentSettings, agent_names
from studio.services.rollout_batches import MOST_SAMPLES, TaskFilter
from studio.services.rollouts import MOST_AT_ONCE, PlaySettings

KINDS = (("read", "Read"), ("write", "Write"), ("mixed", "Both"), ("refuse", "Refuse"))
DIFFICULTIES = (("easy", "Easy"), ("medium", "Medium"), ("hard", "Hard"))
STATES = (("", "In any state"), *EnvironmentState.choices)
MEANINGS = {
    "reference": "Plays the solution that is known to work.",
    "no-op": "Does nothing and says so: nothing may be completed by it.",
    "random": "Calls tools at random with arguments that fit.",
    "explorer": "Tries every tool at least once.",
    "chat": "A model that calls tools; needs a key.",
    "interviewer": "The solution, after asking a simulated user for the facts.",
    "chat:two-tools": "The model lists and calls tools through two tools, as AWM trains.",
    "chat:names": "The model sees the names of tools, and their help on demand.",
    "chat:retrieved:8": "The model is offered the eight tools that fit best.",
    "chat:user": "The model speaks with a simulated user, who tells facts when asked.",
    "faulty:wrong_row": "The solution, on the wrong row.",
    "faulty:stops_early": "The solution, cut short.",
    "faulty:repeats": "The solution, its last change made again.",
    "faulty:bad_arguments": "The solution, with arguments left out.",
    "faulty:ignores_a_refusal": "Is declined once, and passes over it.",
    "faulty:claims_without_acting": "Says it is done, and changed nothing.",
}
"""What an agent does, in one line."""


class RolloutForm(forms.Form):
    """Where, who, how often, and how much it may cost."""

    environment = forms.CharField(
        label="Environments",
        required=False,
        max_length=4_000,
        help_text="Names as in their addresses, with commas between them. Without one, all that fit below.",
    )
    state = forms.ChoiceField(label="State", required=False, choices=STATES)
    category = forms.CharField(label="Category", required=False, max_length=80)
    most = forms.IntegerField(
        label="At most so many environments", required=False, min_value=1, max_value=10_000
    )
    kinds = forms.MultipleChoiceField(
        label="Kind", required=False, choices=KINDS, widget=forms.CheckboxSelectMultiple
    )
    difficulties = forms.MultipleChoiceField(
        label="Difficulty", required=False, choices=DIFFICULTIES, widget=forms.CheckboxSelectMultiple
    )
    tasks = forms.CharField(
        label="Only these tasks",
        required=False,
        max_length=4_000,
        help_text="Ids with commas between them. Without one, every task that fits.",
    )
    agents = forms.MultipleChoiceField(
        label="Agents", choices=[], widget=forms.CheckboxSelectMultiple, initial=["reference"]
    )
    model = forms.CharField(
        label="Model", required=False, max_length=120, help_text="The one of the settings when empty."
    )
    history = forms.CharField(
        label="History",
        required=False,
        max_length=40,
        help_text="What the model is shown: full, window:3, summary:3 or tokens:16000.",
    )
    temperature = forms.FloatField(label="Temperature", required=False, min_value=0, max_value=2)
    call_seconds = forms.FloatField(
        label="Longest wait for an answer, seconds", min_value=1, max_value=3_600, initial=120
    )
    samples = forms.IntegerField(
        label="Tries per task",
        min_value=1,
        max_value=MOST_SAMPLES,
        initial=1,
        help_text="Each with a seed of its own. Several tries are needed for pass@k and pass^k.",
    )
    first_seed = forms.IntegerField(label="Seed of the first try", min_value=0, max_value=2**62, initial=0)
    max_steps = forms.IntegerField(
        label="Most steps", required=False, min_value=1, max_value=1_000, help_text="Calls of tools."
    )
    at_once = forms.IntegerField(
        label="Episodes at once",
        min_value=1,
        max_value=MOST_AT_ONCE,
        initial=4,
        help_text="By each worker. Agents that wait for a model can be many.",
    )
    isolation = forms.ChoiceField(
        label="Isolation",
        choices=[
            ("process", "A sealed process for every episode"),
            ("shared", "Episodes share sealed processes: faster, for environments you trust"),
        ],
        initial="process",
        widget=forms.RadioSelect,
    )
    budget_cost = forms.FloatField(label="Budget in US dollars", required=False, min_value=0.01)
    budget_tokens = forms.IntegerField(label="Budget in tokens", required=False, min_value=1)

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        names = [(name, name) for name in agent_names()]
        self.fields["agents"].choices = names  # type: ignore[attr-defined]

    def task_filter(self) -> TaskFilter:
        """Which tasks are played."""
        given = self.cleaned_data
        return TaskFilter(
            names=split(given["tasks"]),
            kinds=tuple(given["kinds"]),
            difficulties=tuple(given["difficulties"]),
        )

    def play_settings(self) -> PlaySettings:
        """How the episodes are played."""
        given = self.cleaned_data
        return PlaySettings(
            agent=AgentSettings(
                model=given["model"].strip(),
                history=given["history"].strip(),
                temperature=given["temperature"],
                call_seconds=given["call_seconds"],
            ),
            isolation=given["isolation"],
            at_once=given["at_once"],
            max_steps=given["max_steps"],
        )


def split(text: str) -> tuple[str, ...]:
    """Names from a line with commas, blanks or line ends between them, each once."""
    return tuple(dict.fromkeys(text.replace(",", " ").split()))
