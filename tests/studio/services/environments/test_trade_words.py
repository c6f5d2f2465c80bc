"""Terms of the field, agents and their runs have words for people who do not know them by name."""

from __future__ import annotations

import pytest

from studio.services.environments.trade_words import AGENT_WORDS, agents_in_words, trade_word
from studio.services.rollouts.rollout_agents import SHOWN, agent_names
from synthesis.rollouts.faulty import MISTAKES
from synthesis.rollouts.registry import AGENTS


def test_every_agent_of_the_studio_has_words() -> None:
    """A new one without words would be shown to experts by its name."""
    names = {name for name in AGENTS if name != "faulty"} | {f"faulty:{mistake}" for mistake in MISTAKES}
    assert names | set(SHOWN) == set(AGENT_WORDS)
    assert len(set(AGENT_WORDS.values())) == len(AGENT_WORDS)


def test_every_agent_that_people_can_choose_has_words() -> None:
    assert set(agent_names()) <= set(AGENT_WORDS)


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("Trajectories", "Attempts"),
        ("schema", "tables"),
        ("No episodes yet", "No attempts yet"),
        ("a trajectory of a verifier", "an attempt of a success check"),
        ("Episodes per task", "Attempts per task"),
        ("The schema of a claim", "The schema of a claim"),
        ("Batch of rollouts", "Batch of attempts of agents"),
    ],
)
def test_a_term_is_replaced_alone_and_where_it_can_mean_nothing_else(term: str, words: str) -> None:
    assert trade_word(term) == words


def test_a_run_is_called_by_what_its_agents_do() -> None:
    assert agents_in_words("reference, no-op in Clinic in town") == (
        "The right solution, an agent that does nothing in Clinic in town"
    )
    assert agents_in_words("somebody else's in Clinic") == "Somebody else's in Clinic"
