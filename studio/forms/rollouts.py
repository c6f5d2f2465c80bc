"""What is asked for when agents are to play."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms

from studio.forms.picked import PickedField
from studio.models import EnvironmentState
from studio.services.browse import pickers
from studio.services.environments.trade_words import agent_word
from studio.services.rollouts.rollout_agents import AgentSettings, agent_names
from studio.services.rollouts.rollout_batches import MOST_SAMPLES, TaskFilter
from studio.services.rollouts.rollouts import MOST_AT_ONCE, PlaySettings

KINDS = (("read", "Read"), ("write", "Write"), ("mixed", "Mixed"), ("refuse", "Refuse"))
DIFFICULTIES = (("easy", "Easy"), ("medium", "Medium"), ("hard", "Hard"))
STATES = (("", "Any level"), *EnvironmentState.choices)
MEANINGS = {
    "reference": "Does every task as its author says it is done right.",
    "no-op": "Does nothing and says so; must not complete any task.",
    "random": "Uses tools at random, with valid values.",
    "explorer": "Uses every tool at least once.",
    "chat": "A model that uses the tools; needs an API key.",
    "interviewer": "Asks a simulated customer for the facts, then does the task the right way.",
    "chat:two-tools": "Two tools list the others and use them, as in AWM.",
    "chat:names": "The model sees the tools' names, and their descriptions on demand.",
    "chat:retrieved:8": "The model is offered the eight best-matching tools.",
    "chat:user": "The model talks to a simulated customer who gives details when asked.",
    "faulty:wrong_row": "The right steps on the wrong record.",
    "faulty:stops_early": "The right steps without the last ones.",
    "faulty:repeats": "The right steps with the last change repeated.",
    "faulty:bad_arguments": "The right steps with values missing.",
    "faulty:ignores_a_refusal": "Goes on where a tool refuses.",
    "faulty:claims_without_acting": "Says that it is done and changes nothing.",
}
"""What an agent does, in one line."""


class RolloutForm(forms.Form):
    """Where, who, how often, and how much it may cost.

    Args:
        expert: Whether agents are named as programs name them.
    """

    environment = PickedField(
        options=pickers.environments,
        several=True,
        label="Environments",
        required=False,
        max_length=4_000,
        help_text=(
            "One by its title, or names as in their addresses separated by commas. Leave empty for all "
            "that match the filters below."
        ),
    )
    state = forms.ChoiceField(label="Level", required=False, choices=STATES)
    category = PickedField(options=pickers.categories, label="Category", required=False, max_length=80)
    most = forms.IntegerField(
        label="Maximum number of environments", required=False, min_value=1, max_value=10_000
    )
    kinds = forms.MultipleChoiceField(
        label="Kind", required=False, choices=KINDS, widget=forms.CheckboxSelectMultiple
    )
    difficulties = forms.MultipleChoiceField(
        label="Difficulty", required=False, choices=DIFFICULTIES, widget=forms.CheckboxSelectMultiple
    )
    tasks = PickedField(
        options=list,
        several=True,
        label="Only these tasks",
        required=False,
        max_length=4_000,
        help_text=(
            "One of the environment above by its title, or names separated by commas. Leave empty for all "
            "matching tasks."
        ),
    )
    agents = forms.MultipleChoiceField(
        label="Agents", choices=[], widget=forms.CheckboxSelectMultiple, initial=["reference"]
    )
    model = forms.CharField(
        label="Model",
        required=False,
        max_length=400,
        help_text=(
            "Leave empty for that of the settings. Further ones, after commas, stand in when those before "
            "are down: gpt-5, qwen3:32b@local. The name after @ is an endpoint that the operator has set up."
        ),
    )
    user_model = forms.CharField(
        label="Model that plays the user",
        required=False,
        max_length=400,
        help_text="For an agent that asks a customer; the agent's own when empty.",
    )
    history = forms.CharField(
        label="History",
        required=False,
        max_length=40,
        help_text="How much of the conversation the model sees: full, window:3, summary:3 or tokens:16000.",
    )
    temperature = forms.FloatField(label="Temperature", required=False, min_value=0, max_value=2)
    call_seconds = forms.FloatField(
        label="Timeout of a model call, seconds", min_value=1, max_value=3_600, initial=120
    )
    samples = forms.IntegerField(
        label="Episodes per task",
        min_value=1,
        max_value=MOST_SAMPLES,
        initial=1,
        help_text="Each has its own seed. How surely an agent succeeds shows only in several episodes.",
    )
    first_seed = forms.IntegerField(
        label="Seed of the first episode", min_value=0, max_value=2**62, initial=0
    )
    max_steps = forms.IntegerField(
        label="Step limit",
        required=False,
        min_value=1,
        max_value=1_000,
        help_text="Maximum number of tool calls per episode; empty for each task's own limit.",
    )
    at_once = forms.IntegerField(
        label="Parallel episodes",
        min_value=1,
        max_value=MOST_AT_ONCE,
        initial=4,
        help_text="Per worker. Agents that wait for a model can run in large numbers.",
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

    def __init__(self, *arguments: Any, expert: bool = True, **more: Any) -> None:
        super().__init__(*arguments, **more)
        names = [(name, name if expert else _titled(agent_word(name))) for name in agent_names()]
        self.fields["agents"].choices = names  # type: ignore[attr-defined]
        self.fields["tasks"].widget.ask = partial(pickers.tasks_of, str(self["environment"].value() or ""))

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
                user_model=given["user_model"].strip(),
                history=given["history"].strip(),
                temperature=given["temperature"],
                call_seconds=given["call_seconds"],
            ),
            isolation=given["isolation"],
            at_once=given["at_once"],
            max_steps=given["max_steps"],
        )


def _titled(words: str) -> str:
    return words[:1].upper() + words[1:]


def split(text: str) -> tuple[str, ...]:
    """Names from a line with commas, blanks or line ends between them, each once."""
    return tuple(dict.fromkeys(text.replace(",", " ").split()))
