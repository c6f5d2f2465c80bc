"""The studio's own agents have words for people who do not know them by name."""

from __future__ import annotations

from studio.services.environments.trade_words import AGENT_WORDS
from synthesis.rollouts.faulty import MISTAKES
from synthesis.rollouts.registry import AGENTS


def test_every_agent_of_the_studio_has_words() -> None:
    """A new one without words would be shown to experts by its name."""
    names = {name for name in AGENTS if name != "faulty"} | {f"faulty:{mistake}" for mistake in MISTAKES}
    assert names == set(AGENT_WORDS)
    assert len(set(AGENT_WORDS.values())) == len(AGENT_WORDS)
