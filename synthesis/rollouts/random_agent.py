"""The random agent makes schema-valid calls at random, seeded: the lower bound, and a test of robustness."""

from __future__ import annotations

import random
from datetime import datetime

from pydantic import JsonValue

from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.rollouts.agent import AgentContext, AgentDecision
from synthesis.verification.argument_values import ArgumentValues

_EPOCH = datetime(2026, 1, 1)


class RandomAgent:
    """Calls tools at random with arguments that fit their schemas and, where it can, with ids it has seen.

    Args:
        steps: Calls before it answers; as many as the episode allows when left out.
        stop: Chance at each step that it answers at once.
    """

    name = "random"
    model: str | None = None

    def __init__(self, *, steps: int | None = None, stop: float = 0.05) -> None:
        self._limit, self._stop = steps, stop
        self._tools: tuple[Tool, ...] = ()
        self._random = random.Random(0)  # noqa: S311 - choices, not secrets
        self._values = ArgumentValues(self._random, clock=_EPOCH)
        self._left = 0

    def begin(self, context: AgentContext) -> None:
        """Seed the choices from the context, so that the same seed plays the same episode."""
        self._random = random.Random(f"{context.seed}/{context.task.id}")  # noqa: S311 - choices, not secrets
        self._values = ArgumentValues(self._random, clock=context.clock or _EPOCH)
        self._tools = context.tools
        most = context.max_steps - 1
        self._left = most if self._limit is None else min(self._limit, most)

    def act(self, observation: JsonValue) -> AgentDecision:
        """A random call, or an answer made of something it saw."""
        self._values.observe(observation)
        if self._left <= 0 or not self._tools or self._random.random() < self._stop:
            seen = self._values.seen(self._random.choice(("name", "status", "total")))
            return AgentDecision(action=FinalAnswer(text=str(self._random.choice(seen)) if seen else "Done."))
        self._left -= 1
        tool = self._random.choice(self._tools)
        return AgentDecision(action=ToolCall(name=tool.name, arguments=self._values.arguments(tool)))
