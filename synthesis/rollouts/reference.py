"""The reference agent plays the reference solution: proof that a task can be done, and the upper bound."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from synthesis.documents.trajectory import Action, FinalAnswer
from synthesis.rollouts.agent import AgentContext, AgentDecision


class ReferenceAgent:
    """Makes the calls of the reference solution in order and gives the reference answer."""

    name = "reference"
    model: str | None = None

    def __init__(self) -> None:
        self._actions: Iterator[Action] = iter(())

    def begin(self, context: AgentContext) -> None:
        """Take up the task's solution."""
        task = context.task
        self._actions = iter((*task.reference_solution, FinalAnswer(text=task.reference_answer)))

    def act(self, observation: JsonValue) -> AgentDecision:  # noqa: ARG002 - it knows what comes next
        """The next call, at last the answer."""
        return AgentDecision(action=next(self._actions, FinalAnswer()))
