"""The no-op agent answers nothing at once: whatever it earns, a verifier gives away."""

from __future__ import annotations

from pydantic import JsonValue

from synthesis.documents.trajectory import FinalAnswer
from synthesis.rollouts.agent import AgentContext, AgentDecision


class NoOpAgent:
    """Ends every episode with an empty answer."""

    name = "no-op"
    model: str | None = None

    def begin(self, context: AgentContext) -> None:
        """Nothing to remember."""

    def act(self, observation: JsonValue) -> AgentDecision:  # noqa: ARG002 - it looks at nothing
        """The empty answer."""
        return AgentDecision(action=FinalAnswer())
